import { jsonEvent } from '@eventstore/db-client';
import { newEventId } from '../eventId.ts';
import { LEASE_PREFIX } from '../sideStreams.ts';
import type { Connection } from './client/connection.ts';
import { describeError, isAccessDenied, isConnectionFailure, NotSent } from './client/failures.ts';

export interface WriteHealthOptions {
  readonly write: Connection['write'];
  /** Pause between two probes. */
  readonly probeMs: number;
  /** How long writes must fail before `onFailing` is called: a change of leaders fails one write. */
  readonly reportAfterMs: number;
  readonly onFailing: (reason: string) => void;
  readonly onWorking: () => void;
}

/** Whether the server takes writes: without a majority of its cluster it goes on answering reads. */
export interface WriteHealth {
  /** When writes began to fail, in milliseconds of `performance.now`; undefined while they work. */
  readonly failingSince: number | undefined;
  /** Must be called with the end of each write: its error, if it had one. */
  observe(error?: unknown): void;
  /** Finds out whether writes work. */
  probe(): void;
  stop(): void;
}

/** A stream that never exists, so that an append which expects this revision of it writes nothing. */
const PROBED_STREAM = `${LEASE_PREFIX}writeProbe`;
const NEVER_REACHED = 1_000_000n;
const DEADLINE_MS = 2_000;
const TIMEOUT_MS = 4_000;

export function watchWrites({ write, probeMs, reportAfterMs, onFailing, onWorking }: WriteHealthOptions): WriteHealth {
  let failingSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isProbing = false;
  let isStopped = false;

  function probe(): void {
    if (isProbing || isStopped) return;
    isProbing = true;
    const event = jsonEvent({ id: newEventId(), type: 'WriteProbed', data: {} });
    const options = { expectedRevision: NEVER_REACHED, deadline: DEADLINE_MS };
    // Its end is observed like that of every write: the expected one is a conflict.
    void write((client) => client.appendToStream(PROBED_STREAM, event, options), TIMEOUT_MS)
      .catch(() => {})
      .finally(() => {
        isProbing = false;
        if (failingSince !== undefined) schedule();
      });
  }

  function schedule(): void {
    if (isStopped || timer || isProbing) return;
    timer = setTimeout(() => {
      timer = undefined;
      probe();
    }, probeMs).unref();
  }

  return {
    get failingSince() {
      return failingSince;
    },
    observe(error) {
      // Says nothing about writes: the server was not reached.
      if (error instanceof NotSent) return;
      if (error !== undefined && (isConnectionFailure(error) || isAccessDenied(error))) {
        failingSince ??= performance.now();
        if (performance.now() - failingSince >= reportAfterMs) onFailing(describeError(error));
        schedule();
        return;
      }
      if (failingSince === undefined) return;
      failingSince = undefined;
      onWorking();
    },
    probe,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
