import { expect, test } from 'vitest';
import { seededRandom } from '../../../test/support/random.ts';
import { instant } from '../../domain/core/brands.ts';
import { chunkRanges } from './chunkRanges.ts';
import { concatenate, packChunk, type RequestChunk, unpackChunk, unpackValues, valuesOf } from './requestChunk.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 28);

const valuesAt = (times: readonly number[], firstPosition = 1) =>
  valuesOf((name) =>
    Float64Array.from(times, (at, index) =>
      name === 'requestedAt' ? at : name === 'position' ? firstPosition + index : index % 7,
    ),
  );
const chunkOf = (times: readonly number[]): RequestChunk => unpackChunk(packChunk(valuesAt(times)));

test('every request is in the range of its step and its month, and in no other', () => {
  const random = seededRandom(3);
  for (let round = 0; round < 200; round++) {
    const moment = () => NOW - Math.floor(random() * 90 * DAY);
    const chunks = Array.from({ length: 3 }, () =>
      chunkOf(Array.from({ length: 1 + Math.floor(random() * 20) }, moment)),
    );
    const edges = Array.from({ length: 2 + Math.floor(random() * 6) }, () => instant(moment())).sort((a, b) => a - b);
    const found: [at: number, step: number][] = [];
    for (const { chunk, from, to, step, at } of chunkRanges(chunks, edges)) {
      for (const offset of chunk.column('requestedAt').subarray(from, to)) {
        const time = chunk.earliest + offset;
        expect(new Date(time).getUTCMonth()).toBe(new Date(at).getUTCMonth());
        found.push([time, step]);
      }
    }
    const expected = chunks.flatMap((chunk) =>
      [...unpackValues(chunk).requestedAt].flatMap((time): [number, number][] => {
        const step = edges.findLastIndex((edge) => edge <= time);
        return step >= 0 && step < edges.length - 1 ? [[time, step]] : [];
      }),
    );
    const sorted = (list: [number, number][]) => list.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
    expect(sorted(found)).toEqual(sorted(expected));
  }
});

test('a chunk has its requests in the order of their times, also years apart and after more were added', () => {
  for (const far of [0, 60 * 365 * DAY]) {
    const [first, second] = [valuesAt([NOW, NOW - far - 5, NOW]), valuesAt([NOW - 9, NOW], 4)];
    const both = unpackValues(unpackChunk(packChunk(concatenate(first, second))));
    expect([...both.requestedAt]).toEqual([NOW - far - 5, NOW - 9, NOW, NOW, NOW].toSorted((a, b) => a - b));
    expect([...both.position].toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect(both.position[0]).toBe(far === 0 ? 4 : 2);
  }
});
