import { setTimeout as delay } from 'node:timers/promises';
import { isPassing, wording } from './failures.ts';

export interface PatienceOptions {
  /** The nodes, for the lines. */
  readonly hosts: string;
  readonly say: (line: string) => void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** After the first attempt; later pauses are longer. */
  readonly firstPauseMs?: number;
}

/**
 * Does what needs the server until it succeeds, with a line for each attempt that did not.
 * @throws what no waiting mends
 */
export type Patiently = <Result>(work: () => Promise<Result>) => Promise<Result>;

const MAX_PAUSE_MS = 10_000;

/** For a start: servers come and go while everything starts at once. */
export function createPatience({ hosts, say, signal, firstPauseMs = 1_000 }: PatienceOptions): Patiently {
  return async (work) => {
    let pauseMs = firstPauseMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error)) throw error;
        signal.throwIfAborted();
        const next = `attempt ${attempt}, next in ${pauseMs / 1_000} s`;
        say(`EventStoreDB at ${hosts} cannot be used yet (${next}): ${wording(error)}`);
      }
      await delay(pauseMs, undefined, { signal });
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  };
}
