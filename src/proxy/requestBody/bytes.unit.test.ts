import { expect, test } from 'vitest';
import { retainedBytes } from './bytes.ts';

const raw = Buffer.alloc(1_000);
const another = Buffer.alloc(30);

test.each([
  ['nothing', [], 0],
  ['the body itself', [raw], 1_000],
  ['two ends of it, and something between', [raw.subarray(0, 10), another, raw.subarray(900)], 1_030],
  ['what was written anew', [another], 30],
])('%s keeps alive what it was cut from, once', (_what, pieces, bytes) =>
  expect(retainedBytes(pieces, raw)).toBe(bytes),
);
