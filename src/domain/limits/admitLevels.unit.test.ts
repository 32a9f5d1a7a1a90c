import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitedLevel } from '../../../test/support/levels.ts';
import { keyId, limitRule, NOW, uuid } from '../../../test/support/specification.ts';
import { admit } from './admit.ts';
import { type AdmitLevelsInput, admitLevels } from './admitLevels.ts';
import { count, newCounters } from './counters.ts';
import { holdersOf, type LimitHolder, limitLevels, ownerHolder, teamHolder } from './limitLevel.ts';

const tokensOf = (inputTokens: number) => ({ inputTokens, outputTokens: 0, costMicroDollars: 0 });
const subjects = { key: keyId(1) as string, owner: 'Ada', team: uuid(7) };
const levelsWith = (maxValues: readonly number[]) =>
  limitLevels.map((level, index) =>
    limitedLevel(level, subjects[level], [limitRule({ maxValue: maxValues[index] as number })]),
  );
const ask = (input: Partial<AdmitLevelsInput>) =>
  admitLevels({
    levels: [],
    model: 'gpt-5',
    countersOf: () => undefined,
    reservedOn: () => 0,
    estimate: tokensOf(300),
    now: NOW,
    ...input,
  });

test('admits without levels, and reserves on each of them', () => {
  expect(ask({})).toEqual({ kind: 'admitted', reservations: [], alreadyReserved: [] });
  const levels = levelsWith([1, 2, 3]);
  expect(ask({ levels })).toEqual({
    kind: 'admitted',
    reservations: levels.map((level) => ({ level, amounts: [[1, 300]] })),
    alreadyReserved: levels.map((level) => ({ level, amounts: [[1, 0]] })),
  });
});

test('names the first level that is used up, and records the reservations on all', () => {
  const levels = levelsWith([1_000, 100, 50]);
  const reserved: Record<string, number> = { [keyId(1)]: 90, [ownerHolder('Ada')]: 100, [teamHolder(uuid(7))]: 70 };
  expect(ask({ levels, reservedOn: (holder) => reserved[holder] as number })).toMatchObject({
    kind: 'refused',
    level: { level: 'owner', subject: 'Ada' },
    counted: 0,
    reserved: 100,
    ceiling: 100,
    alreadyReserved: [{ amounts: [[1, 90]] }, { amounts: [[1, 100]] }, { amounts: [[1, 70]] }],
  });
});

test('takes an owner whose text is the id of a key or of a team for neither', () => {
  const holders = holdersOf({ keyId: keyId(1), owner: keyId(1), team: keyId(1) });
  expect(new Set(holders).size).toBe(3);
  expect(holdersOf({ keyId: keyId(1), owner: `team:${uuid(7)}` })).not.toContain(teamHolder(uuid(7)));
  expect(holdersOf({ keyId: null })).toEqual([]);
});

const perLevel = <Value>(value: fc.Arbitrary<Value>) => fc.tuple(value, value, value);

test('admits exactly when each level by itself admits', () => {
  const input = fc.record({
    ceilings: perLevel(fc.integer({ min: 1, max: 5 })),
    counted: perLevel(fc.nat(5)),
    reserved: perLevel(fc.nat(5)),
    present: perLevel(fc.boolean()),
    estimate: fc.nat(9),
  });
  fc.assert(
    fc.property(input, ({ ceilings, counted, reserved, present, estimate }) => {
      const all = levelsWith(ceilings);
      const levels = all.filter((_, index) => present[index]);
      const indexOf = (holder: LimitHolder) => all.findIndex((level) => level.holder === holder);
      const countersOf = (holder: LimitHolder) => {
        const counters = newCounters();
        const { rules } = all[indexOf(holder)] as (typeof all)[number];
        count(counters, rules, {
          model: 'gpt-5',
          admittedAt: NOW,
          consumption: tokensOf(counted[indexOf(holder)] as number),
        });
        return counters;
      };
      const reservedOn = (holder: LimitHolder) => reserved[indexOf(holder)] as number;
      const verdict = ask({ levels, countersOf, reservedOn, estimate: tokensOf(estimate) });
      const each = levels.map(({ holder, rules }) =>
        admit({
          rules,
          model: 'gpt-5',
          counters: countersOf(holder),
          reservedOn: () => reservedOn(holder),
          estimate: tokensOf(estimate),
          now: NOW,
        }),
      );
      const first = each.findIndex(({ kind }) => kind === 'refused');
      expect(verdict.kind).toBe(first < 0 ? 'admitted' : 'refused');
      if (verdict.kind === 'refused') expect(verdict).toMatchObject({ level: levels[first] });
      else expect(verdict.reservations.map(({ level }) => level)).toEqual(levels);
      expect(verdict.alreadyReserved.map(({ amounts }) => amounts)).toEqual(
        each.map(({ alreadyReserved }) => alreadyReserved),
      );
    }),
  );
});
