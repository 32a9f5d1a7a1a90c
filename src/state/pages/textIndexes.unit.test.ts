import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { TextIndexes } from './textIndexes.ts';

/** Short texts, texts that end in the same way, and ids. */
const anyText = fc.oneof(
  fc.string({ maxLength: 4 }).map((text) => text.replaceAll(/["\\\p{Cc}]/gu, '')),
  fc.integer({ min: 0, max: 40_000 }).map((number) => `${number}0000`),
  fc.integer({ min: 0, max: 40_000 }).map((number) => `acc_${number.toString(16).padStart(16, '0')}`),
);

test('numbers each text once, in the order in which they come, also after it was cleared', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyText, fc.constant(null)), { maxLength: 200 }), (texts) => {
      const indexes = new TextIndexes();
      let known: string[] = [];
      let added: string[] = [];
      for (const text of texts) {
        if (text === null) {
          indexes.clear();
          [known, added] = [[], []];
          continue;
        }
        // A slice, as captures of a reader are.
        const index = indexes.indexOf(`"${text}"`.slice(1, -1), (given) => added.push(given));
        if (!known.includes(text)) known.push(text);
        expect(index).toBe(known.indexOf(text));
        expect(added).toEqual(known);
        expect(indexes.size).toBe(known.length);
      }
    }),
    runs(300),
  );
});
