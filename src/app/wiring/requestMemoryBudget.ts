import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

export interface MemoryLimits {
  readonly machineBytes: number;
  /** Of the container or the unit; 0, or more than there is, when there is none. */
  readonly constrainedBytes: number;
  /** The most that V8 would take for its heap. */
  readonly heapBytes: number;
}

/** Of this process. */
export const memoryLimits = (): MemoryLimits => ({
  machineBytes: totalmem(),
  constrainedBytes: process.constrainedMemory(),
  heapBytes: getHeapStatistics().heap_size_limit,
});

/**
 * What all requests under way may hold together, in bytes: a quarter of the memory, and no more than half of what the
 * heap may grow to: there each request has what it needs beside its body.
 */
export function memoryForRequests({ machineBytes, constrainedBytes, heapBytes }: MemoryLimits): number {
  const memoryBytes = constrainedBytes > 0 ? Math.min(machineBytes, constrainedBytes) : machineBytes;
  return Math.floor(Math.min(memoryBytes / 4, heapBytes / 2));
}
