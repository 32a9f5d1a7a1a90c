import { expect, test } from 'vitest';
import { retainedBytes } from './bytes.ts';

const raw = Buffer.alloc(1_000);
const another = Buffer.alloc(30);

test.each([
  ['nothing', [], 0],
  ['the whole body', [raw], 1_000],
  ['two slices of it, and another buffer', [raw.subarray(0, 10), another, raw.subarray(900)], 1_030],
  ['another buffer', [another], 30],
])('counts the bytes that %s retains', (_what, pieces, bytes) => expect(retainedBytes(pieces, raw)).toBe(bytes));
