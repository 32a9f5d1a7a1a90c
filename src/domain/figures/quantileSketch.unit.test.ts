import { expect, test } from 'vitest';
import { seededRandom } from '../../../test/support/random.ts';
import { binOf, QuantileSketch } from './quantileSketch.ts';

const random = seededRandom(3);
const timesOf = (count: number) => Array.from({ length: count }, () => Math.floor(10 ** (random() * 6)));

function sketchOf(times: readonly number[]): QuantileSketch {
  const sketch = new QuantileSketch();
  for (const ms of times) sketch.add(binOf(ms));
  return sketch;
}

test('has percentiles within 1 % of the value of their rank', () => {
  for (const count of [1, 2, 10, 1_000]) {
    const times = [0, ...timesOf(count)].sort((a, b) => a - b);
    const found = sketchOf(times).percentiles();
    const exact = (quantile: number) => times[Math.floor(quantile * (times.length - 1))] as number;
    for (const [value, expected] of [
      [found?.p50, exact(0.5)],
      [found?.p95, exact(0.95)],
      [found?.p99, exact(0.99)],
    ] as const)
      expect(Math.abs((value ?? Number.NaN) - expected)).toBeLessThanOrEqual(expected * 0.0101 + 0.5);
  }
  expect(new QuantileSketch().percentiles()).toBeNull();
});

test('is the same however its parts are merged and stored', () => {
  const parts = Array.from({ length: 12 }, (_, index) => timesOf(index % 3 === 0 ? 3 : 200));
  const whole = sketchOf(parts.flat());
  const merged = new QuantileSketch();
  const stored = new QuantileSketch();
  const mixed = new QuantileSketch();
  parts.forEach((times, index) => {
    merged.merge(sketchOf(times));
    stored.mergeEncoded(sketchOf(times).encode());
    if (index % 2 === 0) mixed.mergeEncoded(sketchOf(times).encode());
    else for (const ms of times) mixed.add(binOf(ms));
  });
  for (const sketch of [merged, stored, mixed]) expect(sketch.encode()).toEqual(whole.encode());
});

test('is the same without values as if it never had them, and has none without all', () => {
  const [kept, removed] = [timesOf(500), timesOf(400)];
  for (const other of [sketchOf(removed), new QuantileSketch()]) {
    if (other.percentiles() === null) other.mergeEncoded(sketchOf(removed).encode());
    const sketch = sketchOf([...kept, ...removed]);
    sketch.subtract(other);
    expect(sketch.percentiles()).toEqual(sketchOf(kept).percentiles());
    expect(sketch.encode()).toEqual(sketchOf(kept).encode());
    sketch.subtract(sketchOf(kept));
    expect(sketch.percentiles()).toBeNull();
  }
});

test('keeps counts of any size', () => {
  const sketch = new QuantileSketch();
  sketch.add(5, 3_000_000_000);
  const read = new QuantileSketch();
  read.mergeEncoded(sketch.encode());
  expect(read.encode()).toEqual(sketch.encode());
});
