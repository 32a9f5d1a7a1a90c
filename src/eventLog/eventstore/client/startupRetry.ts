import { setTimeout as delay } from 'node:timers/promises';
import type { Print } from '../../../lib/log/line.ts';
import { describeError, isConnectionFailure, isTransient } from './failures.ts';

export interface StartupRetryOptions {
  /** For messages. */
  readonly hosts: string;
  readonly print: Print;
  /** Aborts the wait. */
  readonly signal: AbortSignal;
  /** Pause after the first attempt; later pauses are longer. */
  readonly firstPauseMs?: number;
  /** Finds out more about a failed attempt; undefined when there is nothing to add. */
  readonly explain?: () => Promise<string | undefined>;
}

/**
 * Repeats work that needs the server until it succeeds, with a line for each failed attempt.
 * @throws errors that are not transient
 */
export type StartupRetry = <Result>(work: () => Promise<Result>) => Promise<Result>;

const MAX_PAUSE_MS = 10_000;

/** Creates the retry for the start of svc: the server may be starting at the same time. */
export function createStartupRetry({
  hosts,
  print,
  signal,
  firstPauseMs = 1_000,
  explain = async () => undefined,
}: StartupRetryOptions): StartupRetry {
  return async (work) => {
    let pauseMs = firstPauseMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error)) throw error;
        signal.throwIfAborted();
        const reason = (isConnectionFailure(error) ? await explain() : undefined) ?? `${describeError(error)}.`;
        const next = `attempt ${attempt}, next in ${pauseMs / 1_000} s`;
        print(`EventStoreDB at ${hosts} cannot be used yet (${next}): ${reason}`, {
          level: 'warn',
          code: 'store_awaited',
        });
      }
      await delay(pauseMs, undefined, { signal });
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  };
}
