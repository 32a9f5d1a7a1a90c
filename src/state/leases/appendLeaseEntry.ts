import type { LeaseEntry, LeaseStreams } from '../../eventLog/leaseStreams.ts';
import { sleep } from '../../lib/sleep.ts';

export interface LeaseAppendOptions {
  readonly name: string;
  readonly streams: LeaseStreams;
  readonly ttlMs: number;
  readonly report: (error: Error) => void;
}

const FIRST_PAUSE_MS = 50;

/**
 * Appends a lease entry, and repeats an append of unknown outcome until the outcome is known. A rejected append is reported
 * and then waits for the lease's time to live, because repeating it would be rejected as well.
 * @returns whether the entry was written; false also when `signal` aborts
 */
export async function appendLeaseEntry(
  { name, streams, ttlMs, report }: LeaseAppendOptions,
  expected: number,
  entry: LeaseEntry,
  signal: AbortSignal,
): Promise<boolean> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, ttlMs / 12)) {
    const outcome = await streams.append(name, expected, entry);
    switch (outcome.kind) {
      case 'committed':
        return true;
      case 'conflict':
        return false;
      case 'rejected':
        report(new Error(`the lease "${name}" cannot be written: ${outcome.reason}`));
        await sleep(ttlMs, signal);
        return false;
      case 'unknown':
        await sleep(pauseMs, signal);
    }
  }
  return false;
}
