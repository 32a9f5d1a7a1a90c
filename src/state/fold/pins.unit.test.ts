import fc from 'fast-check';
import { expect, test } from 'vitest';
import { accountId } from '../../../test/support/specification.ts';
import { position } from '../../domain/core/brands.ts';
import { Pins } from './pins.ts';

const [A, B] = [accountId(1), accountId(2)];

/** The most that are kept. */
const MAX_PINS = 100_000;

test('keeps pins in the order of their last use, also through data', () => {
  const uses = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom(A, B)), { maxLength: 60 });
  fc.assert(
    fc.property(uses, fc.nat(60), (history, copiedAt) => {
      let pins = new Pins();
      /** In order of use, because a deletion comes before each entry. */
      const expected = new Map<string, { account: string; at: number }>();
      history.forEach(([conversation, account], index) => {
        const digest = `digest ${conversation}`;
        if (index === copiedAt) pins = Pins.from(structuredClone(pins.data()));
        pins.set(digest, account, position(index));
        expected.delete(digest);
        expected.set(digest, { account, at: index });
      });
      const { digests, accounts, accountOf, pinnedAt } = pins.data();
      const kept = digests.map((digest, index) => {
        return [digest, { account: accounts[accountOf[index] as number], at: pinnedAt[index] }];
      });
      expect(kept).toEqual([...expected]);
      expect(pins.size).toBe(expected.size);
    }),
  );
});

test('evicts the conversation that was not used for longest', () => {
  const pins = new Pins();
  let at = 0;
  const use = (digest: string) => pins.set(digest, A, position(++at));
  for (let index = 0; index < MAX_PINS; index++) use(`digest ${index}`);
  use('digest 0');
  use('digest 2');
  use('new');
  use('newer');
  const found = ['digest 0', 'digest 1', 'digest 2', 'digest 3', 'digest 4', 'new', 'newer'].map((digest) =>
    pins.get(digest, position(at)),
  );
  expect(found).toEqual([A, undefined, A, undefined, A, A, A]);
  expect(pins.size).toBe(MAX_PINS);
});
