import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at, later, limitRule, NOW, specification, uuid } from '../../../test/support/specification.ts';
import type { TeamId } from '../core/brands.ts';
import type { LimitRuleInput } from '../limits/changeRules.ts';
import { limitTypeNames } from '../limits/limitTypes.ts';
import { limitWindowNames } from '../limits/limitWindows.ts';
import { team as rules, type TeamChanges } from './decide.ts';
import { TeamCreated, TeamDeleted, TeamLimitsChanged, TeamRenamed, TeamUsageReset } from './events.ts';

const team = specification(rules);
const teamId = uuid(7) as TeamId;
const name = 'search';
const created = TeamCreated({ teamId, name, rules: [] });
const change = (changes: TeamChanges) => ({ type: 'ChangeTeam', teamId, changes }) as const;
const wanted = (changes: Partial<LimitRuleInput> = {}): LimitRuleInput => ({
  limitType: 'total_tokens',
  limitWindow: 'daily',
  maxValue: 1_000,
  modelFilter: null,
  ...changes,
});

test('is created once, with a trimmed name and limits of its own ids', () => {
  team.when({ type: 'CreateTeam', teamId, name: ' search ' }).then(created);
  team
    .when({ type: 'CreateTeam', teamId, name, limits: [wanted(), wanted({ limitType: 'cost_usd' })] })
    .then(TeamCreated({ teamId, name, rules: [limitRule(), limitRule({ id: 2, limitType: 'cost_usd' })] }));
  team.given(created).when({ type: 'CreateTeam', teamId, name }).refuses('conflict');
  expect(team.given(at(NOW, created)).state()).toEqual({ id: teamId, name, createdAt: NOW, rules: [], nextRuleId: 1 });
});

test.each(['', ' ', 'x'.repeat(129)])('refuses the name "%s"', (bad) => {
  team.when({ type: 'CreateTeam', teamId, name: bad }).refuses('invalid_team', { param: 'name' });
  team
    .given(created)
    .when(change({ name: bad }))
    .refuses('invalid_team', { param: 'name' });
});

test('is renamed, limited and reset, and nothing is recorded for what stays as it is', () => {
  team
    .given(created)
    .when(change({ name: 'ads' }))
    .then(TeamRenamed({ teamId, from: name, to: 'ads' }));
  team
    .given(created)
    .when(change({ resetUsage: true }))
    .then(TeamUsageReset({ teamId, name }));
  team
    .given(created)
    .when(change({ name, limits: [], resetUsage: false }))
    .then();
  const limited = TeamLimitsChanged({ teamId, name, from: [], to: [limitRule()] });
  team
    .given(created)
    .when(change({ limits: [wanted()] }))
    .then(limited);
  team
    .given(created, limited)
    .when(change({ limits: [wanted({ maxValue: 5, onExceeded: 'stop' })] }), { now: later(9) })
    .then(
      TeamLimitsChanged({ teamId, name, from: [limitRule()], to: [limitRule({ maxValue: 5, onExceeded: 'stop' })] }),
    );
});

test('is deleted without keys, and refused with some', () => {
  team.given(created).when({ type: 'DeleteTeam', teamId, keys: 0 }).then(TeamDeleted({ teamId, name }));
  team.given(created).when({ type: 'DeleteTeam', teamId, keys: 2 }).refuses('team_not_empty', { name, keys: 2 });
  const gone = team.given(created, TeamDeleted({ teamId, name }));
  expect(gone.state()).toBeUndefined();
  gone.when({ type: 'DeleteTeam', teamId, keys: 0 }).refuses('team_not_found');
  gone.when(change({ name: 'x' })).refuses('team_not_found');
});

describe('limits after any changes', () => {
  const limits = fc.uniqueArray(
    fc.record({
      limitType: fc.constantFrom(...limitTypeNames),
      limitWindow: fc.constantFrom(...limitWindowNames),
      maxValue: fc.integer({ min: 1, max: 9 }),
      modelFilter: fc.constantFrom(null, 'gpt-5'),
    }),
    {
      maxLength: 6,
      selector: ({ limitType, limitWindow, modelFilter }) => `${limitType} ${limitWindow} ${modelFilter}`,
    },
  );

  test('are those of the last change, and no id is ever given to another rule', () => {
    fc.assert(
      fc.property(fc.array(limits, { maxLength: 8 }), (changes) => {
        let state = rules.evolve(rules.initialState, { ...created, time: NOW } as never);
        const identities = new Map<number, string>();
        for (const wantedNow of changes) {
          const context = { now: NOW, windowsNow: NOW };
          for (const event of rules.decide(change({ limits: wantedNow }), state, context))
            state = rules.evolve(state, { ...event, time: NOW } as never);
          const now = state?.rules ?? [];
          expect(
            now.map(({ limitType, limitWindow, maxValue, modelFilter }) => ({
              limitType,
              limitWindow,
              maxValue,
              modelFilter,
            })),
          ).toEqual(wantedNow);
          for (const { id, limitType, limitWindow, modelFilter } of now) {
            const identity = `${limitType} ${limitWindow} ${modelFilter}`;
            expect(identities.get(id) ?? identity).toBe(identity);
            identities.set(id, identity);
            expect(id).toBeLessThan(state?.nextRuleId ?? 0);
          }
        }
      }),
    );
  });
});
