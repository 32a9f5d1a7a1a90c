import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { hash, keyId, later, limitRule, NOW, recorded, uuid } from '../../../test/support/specification.ts';
import { ApiKeyCreated, ApiKeyDeleted, ApiKeyTeamChanged } from '../../domain/apiKey/events.ts';
import { ClockAccepted } from '../../domain/clock/events.ts';
import type { TeamId } from '../../domain/core/brands.ts';
import { usedAt } from '../../domain/limits/counters.ts';
import { type LimitHolder, ownerHolder, teamHolder } from '../../domain/limits/limitLevel.ts';
import { OwnerLimitsChanged } from '../../domain/owner/events.ts';
import { TeamCreated, TeamDeleted, TeamLimitsChanged } from '../../domain/team/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { copyState } from './checkpoints.ts';
import { HotState } from './hotState.ts';
import { levelsOf, rulesOf } from './limitLevels.ts';

const key = keyId(1);
const teams = [uuid(7), uuid(8)] as [TeamId, TeamId];
const owners = ['Ada', uuid(7)] as const;
const rule = limitRule({ maxValue: 1_000_000 });
const name = 'k';

const setUp = [
  ApiKeyCreated({
    keyId: key,
    name,
    hash: hash('a'),
    prefix: 'sk',
    allowedModels: null,
    expiresAt: null,
    rules: [rule],
  }),
  ...teams.map((teamId) => TeamCreated({ teamId, name, rules: [rule] })),
  ...owners.map((owner) => OwnerLimitsChanged({ owner, from: [], to: [rule] })),
];
/** 120 tokens. */
const request = (owner?: string, team?: string) =>
  completed({
    keyId: key,
    requestedAt: NOW,
    ...(owner !== undefined && { owner }),
    ...(team !== undefined && { team }),
  });

function fold(events: readonly { type: string; data: unknown }[], state = new HotState()): HotState {
  events.forEach((event, index) => {
    state.apply({ ...recorded(event, index), time: NOW } as RecordedEvent);
  });
  return state;
}
const used = (state: HotState, holder: LimitHolder, at = NOW) => usedAt(state.counters.get(holder), rule, at);

test('counts each request for its key, and for the owner and the team that it names', () => {
  const step = fc.record({
    owner: fc.option(fc.constantFrom(...owners), { nil: undefined }),
    team: fc.option(fc.constantFrom(...teams), { nil: undefined }),
    move: fc.option(fc.constantFrom(...teams), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const state = fold([
        ...setUp,
        ...steps.flatMap(({ owner, team, move }) => [
          request(owner, team),
          ...(move ? [ApiKeyTeamChanged({ keyId: key, name, from: null, to: move })] : []),
        ]),
      ]);
      expect(used(state, key)).toBe(120 * steps.length);
      for (const each of owners)
        expect(used(state, ownerHolder(each))).toBe(120 * steps.filter(({ owner }) => owner === each).length);
      for (const each of teams)
        expect(used(state, teamHolder(each))).toBe(120 * steps.filter(({ team }) => team === each).length);
    }),
  );
});

test('goes on to count for owner and team when the key is deleted, and forgets a team that is', () => {
  const [team] = teams;
  const state = fold([...setUp, request('Ada', team), ApiKeyDeleted({ keyId: key, name }), request('Ada', team)]);
  expect([key, ownerHolder('Ada'), teamHolder(team)].map((holder) => used(state, holder))).toEqual([0, 240, 240]);
  const later = fold([TeamDeleted({ teamId: team, name }), request('Ada', team)], state);
  expect([later.counters.has(teamHolder(team)), later.teams.has(team)]).toEqual([false, false]);
  expect(levelsOf(later, { keyId: key, owner: 'Ada', team }).map(({ level }) => level)).toEqual(['owner']);
});

test('counts from the creation of a limit on, and forgets the counter of one that was removed', () => {
  const [team] = teams;
  const before = fold([TeamCreated({ teamId: team, name, rules: [] }), request('Grace', team)]);
  expect([before.counters.has(ownerHolder('Grace')), used(before, teamHolder(team))]).toEqual([false, 0]);
  const limited = TeamLimitsChanged({ teamId: team, name, from: [], to: [rule] });
  expect(used(fold([limited, request('Grace', team)], before), teamHolder(team))).toBe(120);
  const without = fold([TeamLimitsChanged({ teamId: team, name, from: [rule], to: [] })], before);
  expect(without.counters.get(teamHolder(team))?.byRule.size).toBe(0);
  expect(rulesOf(without, teamHolder(team))).toEqual([]);
});

test('sets limits of every level back when an operator accepts an earlier clock', () => {
  const ahead = later(40 * 86_400_000);
  const created = { ...rule, createdAt: ahead };
  const [team] = teams;
  const state = fold([
    TeamCreated({ teamId: team, name, rules: [created] }),
    OwnerLimitsChanged({ owner: 'Ada', from: [], to: [created] }),
    ClockAccepted({ node: 'n1', from: ahead, to: NOW }),
  ]);
  expect(rulesOf(state, teamHolder(team))[0]?.createdAt).toBe(NOW);
  expect(rulesOf(state, ownerHolder('Ada'))[0]?.createdAt).toBe(NOW);
});

test('keeps a copy for earlier states as it was when usage goes on', () => {
  const state = fold([...setUp, request('Ada', teams[0])]);
  const copy = copyState(state);
  fold([request('Ada', teams[0])], state);
  expect([used(copy, teamHolder(teams[0])), used(state, teamHolder(teams[0]))]).toEqual([120, 240]);
});

test('tells an owner from a team and from a key of the same text', () => {
  const state = fold(setUp);
  expect(rulesOf(state, ownerHolder(uuid(7)))).toBe(state.owners.get(uuid(7))?.rules);
  expect(rulesOf(state, teamHolder(uuid(7)))).toBe(state.teams.get(teams[0])?.rules);
  expect(rulesOf(state, keyId(5))).toEqual([]);
  expect(rulesOf(state, ownerHolder(`team:${uuid(7)}`))).toEqual([]);
});
