import { expect, test } from 'vitest';
import { FIGURE_SUMS, type FigureSums } from '../../projections/figures.ts';
import { seededRandom } from '../../test/support/random.ts';
import { addPackedDay, addToPackedDay, QUARTERS_OF_DAY, SUMS } from './packedDay.ts';

const random = seededRandom(11);
const below = (end: number) => Math.floor(random() * end);

const randomSums = (): FigureSums =>
  Object.fromEntries(
    FIGURE_SUMS.map((name) => [name, name === 'requests' ? 1 + below(9) : below(10 ** below(16))]),
  ) as unknown as FigureSums;

/** A day of several additions, and the sums of its quarters. */
function randomDay() {
  const exact = Array.from({ length: QUARTERS_OF_DAY }, () => FIGURE_SUMS.map(() => 0));
  let packed: Uint8Array | undefined;
  for (let part = 0; part < 1 + below(4); part++) {
    const added = new Map(Array.from({ length: 1 + below(30) }, () => [below(QUARTERS_OF_DAY), randomSums()]));
    packed = addToPackedDay(packed, added);
    for (const [quarter, sums] of added)
      FIGURE_SUMS.forEach((name, index) => {
        const own = exact[quarter] as number[];
        own[index] = (own[index] as number) + sums[name];
      });
  }
  return { exact, packed: packed as Uint8Array };
}

test('has the sums of its quarters, however steps divide it', () => {
  for (let round = 0; round < 300; round++) {
    const { exact, packed } = randomDay();
    const longest = 1 + below(30);
    let step = -1;
    let rest = 0;
    // Steps of random lengths in quarters, some of the quarters in none.
    const stepOf = Int32Array.from({ length: QUARTERS_OF_DAY }, () => {
      if (rest-- <= 0) [step, rest] = [step + 1, below(longest)];
      return random() < 0.1 ? -1 : step;
    });
    const [width, at] = [SUMS * 3, SUMS];
    const into = new Float64Array((step + 1) * width);
    addPackedDay(packed, stepOf, { into, width, at });
    const expected = new Float64Array(into.length);
    stepOf.forEach((own, quarter) => {
      if (own < 0) return;
      exact[quarter]?.forEach((sum, index) => {
        const place = own * width + at + index;
        expected[place] = (expected[place] as number) + sum;
      });
    });
    expect(into).toEqual(expected);
  }
});

test('is the same whatever the parts that were added', () => {
  const parts = Array.from({ length: 20 }, () => new Map([[below(QUARTERS_OF_DAY), randomSums()]]));
  const add = (order: typeof parts) => order.reduce<Uint8Array | undefined>(addToPackedDay, undefined);
  expect(add(parts.toReversed())).toEqual(add(parts));
});
