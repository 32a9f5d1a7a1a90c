import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** In bytes. */
export interface MemoryLimits {
  readonly machineBytes: number;
  /** The limit of the container or systemd unit; 0, or more than the machine has, when there is none. */
  readonly constrainedBytes: number;
  /** The maximum size of V8's heap. */
  readonly heapBytes: number;
}

/** @returns the memory limits of this process */
export const memoryLimits = (): MemoryLimits => ({
  machineBytes: totalmem(),
  constrainedBytes: process.constrainedMemory(),
  heapBytes: getHeapStatistics().heap_size_limit,
});

/**
 * @returns the maximum bytes of the bodies of all open requests together: a quarter of the memory, and at most half of the heap
 * limit, because each request needs heap beside its body
 */
export function memoryForRequests({ machineBytes, constrainedBytes, heapBytes }: MemoryLimits): number {
  const memoryBytes = constrainedBytes > 0 ? Math.min(machineBytes, constrainedBytes) : machineBytes;
  return Math.floor(Math.min(memoryBytes / 4, heapBytes / 2));
}
