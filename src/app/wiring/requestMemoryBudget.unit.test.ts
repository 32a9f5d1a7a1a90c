import { expect, test } from 'vitest';
import { memoryForRequests } from './requestMemoryBudget.ts';

const MiB = 1_048_576;
const GiB = 1_024 * MiB;
/** Returned by `process.constrainedMemory` when there is no limit. */
const NO_LIMIT = 18_446_744_073_709_552_000;

test.each([
  ['a small container', 512 * MiB, 256 * MiB, 128 * MiB],
  ['a container of 2 GiB', 2 * GiB, GiB, 512 * MiB],
  ['a machine without a limit', NO_LIMIT, 4 * GiB, 2 * GiB],
  ['a system without such limits', 0, 4 * GiB, 2 * GiB],
  ['a process with a small heap', NO_LIMIT, 304 * MiB, 152 * MiB],
])('limits request bodies in %s to a part of the memory', (_where, constrainedBytes, heapBytes, expected) =>
  expect(memoryForRequests({ machineBytes: 24 * GiB, constrainedBytes, heapBytes })).toBe(expected),
);
