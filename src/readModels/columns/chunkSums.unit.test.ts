import { expect, test } from 'vitest';
import { seededRandom } from '../../../test/support/random.ts';
import { SUMS } from '../packedDay.ts';
import { ChunkSums } from './chunkSums.ts';
import { type ColumnName, packChunk, type RequestChunk, unpackChunk, valuesOf } from './requestChunk.ts';
import { addRequests } from './requestSums.ts';

const KINDS = 20;
/** The largest values of columns of each width; those of several bytes make sums that 32 bits do not hold. */
const LARGEST = [0, 200, 65_535, 500_000, 2 ** 31, 2 ** 40];

test.each(LARGEST)('sums of groups are those of adding requests one by one, with numbers up to %i', (largest) => {
  const random = seededRandom(largest + 1);
  const sums = new ChunkSums();
  const failedKinds = Uint8Array.from({ length: KINDS }, () => (random() < 0.3 ? 1 : 0));
  for (let round = 0; round < 20; round++) {
    const length = 1 + Math.floor(random() ** 2 * 8_192);
    const chunk = randomChunk(length, largest, random);
    const groups = 1 + Math.floor(random() * 60);
    const rows = Int32Array.from(Array.from({ length }, (_, row) => row).filter(() => random() < 0.7));
    const selected = {
      rows,
      groups: Int32Array.from(rows, () => Math.floor(random() * groups)),
      length: rows.length,
    };
    const [expected, found] = [new Float64Array(groups * SUMS), new Float64Array(groups * SUMS)];
    addRequests(chunk, selected, failedKinds, expected);
    sums.add(chunk, selected, groups, failedKinds, found);
    expect(found).toEqual(expected);
    // Added to what was there before.
    sums.add(chunk, selected, groups, failedKinds, found);
    expect(found).toEqual(expected.map((sum) => 2 * sum));
  }
});

function randomChunk(length: number, largest: number, random: () => number): RequestChunk {
  const values: Partial<Record<ColumnName, () => number>> = {
    kindId: () => Math.floor(random() * KINDS),
    // Often none, of which the output tokens are no generated ones.
    generatingMs: () => (random() < 0.2 ? 0 : Math.floor(random() * Math.min(largest, 100_000))),
  };
  const any = () => (random() < 0.01 ? largest : Math.floor(random() * largest));
  return unpackChunk(packChunk(valuesOf((name) => Float64Array.from({ length }, values[name] ?? any))));
}
