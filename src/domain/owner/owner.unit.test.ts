import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitRule, specification } from '../../../test/support/specification.ts';
import { owner as rules } from './decide.ts';
import { OwnerLimitsChanged, OwnerUsageReset } from './events.ts';
import { ownerOfStream, readOwner, streamIdOf } from './ownerName.ts';

const owner = specification(rules);
const limits = [{ limitType: 'total_tokens', limitWindow: 'daily', maxValue: 1_000, modelFilter: null }] as const;
const change = { type: 'ChangeOwner', owner: 'Ada' } as const;
const limited = OwnerLimitsChanged({ owner: 'Ada', from: [], to: [limitRule()] });

test('gets limits without having been created, changes them, and loses them', () => {
  owner.when({ ...change, limits }).then(limited);
  owner
    .given(limited)
    .when({ ...change, limits })
    .then();
  const none = OwnerLimitsChanged({ owner: 'Ada', from: [limitRule()], to: [] });
  owner
    .given(limited)
    .when({ ...change, limits: [] })
    .then(none);
  owner.when({ ...change, limits: [] }).then();
  // The id of a rule that was removed is not given again.
  owner
    .given(limited, none)
    .when({ ...change, limits })
    .then(OwnerLimitsChanged({ owner: 'Ada', from: [], to: [limitRule({ id: 2 })] }));
  expect(owner.given(limited).state()).toEqual({ owner: 'Ada', rules: [limitRule()], nextRuleId: 2 });
});

test('resets the usage of limits that exist', () => {
  owner
    .given(limited)
    .when({ ...change, resetUsage: true })
    .then(OwnerUsageReset({ owner: 'Ada' }));
  owner.when({ ...change, resetUsage: true }).then();
});

test('refuses limits that are not valid, and names that cannot be addressed', () => {
  owner.when({ ...change, limits: [limits[0], limits[0]] }).refuses('invalid_owner', { param: 'limits.1' });
  for (const name of ['', '  ', '.', '..', 'a\nb', '\u007f', '\ud800', 'x'.repeat(129)])
    owner.when({ ...change, owner: name, limits }).refuses('invalid_owner', { param: 'owner' });
});

test('every valid owner has a stream of its own that names it', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 40 });
  fc.assert(
    fc.property(name, name, (one, other) => {
      const [a, b] = [readOwner(one), readOwner(other)];
      if (!('owner' in a && 'owner' in b)) return;
      expect(streamIdOf(a.owner)).toMatch(/^[\x21-\x7e]+$/);
      expect(ownerOfStream(streamIdOf(a.owner))).toBe(a.owner);
      expect(streamIdOf(a.owner) === streamIdOf(b.owner)).toBe(a.owner === b.owner);
    }),
  );
  expect(ownerOfStream('%zz')).toBe('%zz');
});
