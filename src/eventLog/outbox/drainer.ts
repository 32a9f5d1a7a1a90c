import { type Position, position } from '../../domain/core/brands.ts';
import { sleep } from '../../lib/sleep.ts';
import { batchesByStream } from '../batchesByStream.ts';
import type { EventLog, StoredEvent } from '../eventLog.ts';
import type { ReplicationTarget } from '../replicationTarget.ts';

/** Consecutive events of one stream that are now in the store. */
export interface DrainedEvents {
  readonly stream: string;
  readonly count: number;
  /** Position of the last of them in the outbox. */
  readonly position: Position;
}

export interface DrainListener {
  readonly onDrained: (drained: DrainedEvents) => void;
  /** Called with an error when draining is blocked, once per kind of reason, and with a line when it continues. */
  readonly report: (message: string | Error) => void;
}

export interface DrainerOptions extends DrainListener {
  readonly from: Pick<EventLog, 'readAll'>;
  readonly to: ReplicationTarget;
  /** All events up to this position are already in the store. Default: none. */
  readonly after?: Position;
}

export interface Drainer {
  /** Drains the events that were added to the log since. */
  wake(): void;
  /** Why draining is blocked; undefined while it is not. */
  readonly blockedReason: string | undefined;
  /** Stops once everything is drained, draining is blocked, or `timeoutMs` has passed. */
  stop(timeoutMs: number): Promise<void>;
}

/** The store does not accept the events in the outbox. */
export class CannotDrain extends Error {
  override readonly name = 'CannotDrain';
}

/**
 * Larger appends gain little (docs/stores.md#eventstoredb-throughput), and this stays well below the store's limit
 * (docs/stores.md#eventstoredb-size-of-an-append).
 */
const MAX_PER_APPEND = 200;
/** Collects events between appends: an append costs as much as many events, and no request waits for it. */
const BETWEEN_APPENDS_MS = 20;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/**
 * Copies the events of a log to another store, in order. One append is in flight and is repeated until it is known to be
 * written, so events are neither lost nor duplicated nor reordered, however often either side crashes.
 */
export function startDrainer({ from, to, after = position(0), onDrained, report }: DrainerOptions): Drainer {
  const stopping = new AbortController();
  const { signal } = stopping;
  let cursor = after;
  let batchLimit = MAX_PER_APPEND;
  let blocked: { readonly kind: string; readonly text: string } | undefined;
  let hasNewEvents = true;
  let onWake: (() => void) | undefined;
  let isStopping = false;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      hasNewEvents = false;
      const since = performance.now();
      for await (const batch of batchesByStream(from.readAll(cursor), () => batchLimit)) {
        await deliver(batch);
        if (signal.aborted) return;
      }
      if (!isStopping) await sleep(since + BETWEEN_APPENDS_MS - performance.now(), signal);
      if (hasNewEvents) continue;
      if (isStopping) return;
      await new Promise<void>((resolve) => {
        onWake = resolve;
      });
    }
  }

  function wake(): void {
    hasNewEvents = true;
    onWake?.();
    onWake = undefined;
  }

  async function deliver(batch: readonly StoredEvent[]): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let rest = batch; rest.length > 0; ) {
      const count = await attempt(rest.slice(0, batchLimit));
      if (count > 0) {
        const last = rest[count - 1] as StoredEvent;
        rest = rest.slice(count);
        cursor = last.position;
        onDrained({ stream: last.stream, count, position: cursor });
        pauseMs = FIRST_PAUSE_MS;
        continue;
      }
      if (isStopping && blocked) stopping.abort();
      if (signal.aborted) return;
      if (blocked) await sleep(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }

  /** @returns the number of events, counted from the first, that are in the store now */
  async function attempt(events: readonly StoredEvent[]): Promise<number> {
    const outcome = await to.append(events);
    switch (outcome.kind) {
      case 'committed':
        batchLimit = Math.min(2 * batchLimit, MAX_PER_APPEND);
        return unblock(events.length);
      case 'unknown':
        return block('unknown', outcome.error.message);
      case 'rejected':
        // The append may be too large, and one bad event must not hold back those before it.
        batchLimit = Math.ceil(events.length / 2);
        return events.length > 1 ? 0 : block('rejected', outcome.reason);
      case 'conflict':
        return countExisting(events, outcome.actualRevision);
    }
  }

  /** After a crash or an append of unknown outcome, some of the events may be in the store already. */
  async function countExisting(events: readonly StoredEvent[], actualRevision: number): Promise<number> {
    const { stream, revision } = events[0] as StoredEvent;
    if (actualRevision < revision - 1) {
      const text =
        `the store has ${stream} up to revision ${actualRevision}, but the next event is ${revision}: ` +
        'the store was restored from an older copy';
      return block('gap', text);
    }
    try {
      const ids = await to.readIds(stream, revision, events.length);
      if (ids.every((id, index) => id === events[index]?.id)) return unblock(ids.length);
      return block(
        'fork',
        `from revision ${revision} on, the store has other events in ${stream} than this node wrote`,
      );
    } catch (error) {
      return block('unknown', (error as Error).message);
    }
  }

  function block(kind: string, text: string): 0 {
    const isNew = blocked?.kind !== kind;
    blocked = { kind, text };
    if (isNew) report(new CannotDrain(`events wait in the outbox: ${text}`));
    return 0;
  }

  function unblock(count: number): number {
    if (blocked && count > 0) {
      blocked = undefined;
      report('the store accepts events from the outbox again');
    }
    return count;
  }

  const ended = run().catch((error: Error) => {
    blocked = { kind: 'failed', text: error.message };
    report(error);
  });

  return {
    wake,
    get blockedReason() {
      return blocked?.text;
    },
    async stop(timeoutMs) {
      isStopping = true;
      wake();
      const timer = setTimeout(() => stopping.abort(), timeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
