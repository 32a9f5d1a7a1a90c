import { existsSync } from 'node:fs';
import { type Position, position } from '../../domain/core/brands.ts';
import type { EventLog, RecordedEvent } from '../eventLog.ts';
import type { ReplicationTarget } from '../replicationTarget.ts';
import { openForReading } from '../sqlite/database.ts';
import { openPrunableLog, type SqliteEventLogOptions } from '../sqlite/sqliteEventLog.ts';
import { type DrainedEvents, type Drainer, type DrainListener, startDrainer } from './drainer.ts';

export interface OutboxOptions extends SqliteEventLogOptions {
  /** The store that the events are copied to. */
  readonly store: ReplicationTarget;
  /** Starts a drainer. Default: one in this thread. */
  readonly drain?: (listener: DrainListener) => Drainer;
  /** Number of pending events at which the outbox is full. */
  readonly maxEvents: number;
  readonly report: (message: string | Error) => void;
}

export interface Outbox extends Pick<EventLog, 'append'> {
  /** Number of events that are not yet known to be in the store. */
  readonly pending: number;
  /** Whether new requests should be refused. The outbox accepts events of open requests as long as the disk has room. */
  readonly isFull: boolean;
  /** Why events are not drained; undefined while they are. */
  readonly blockedReason: string | undefined;
  /**
   * Calls `onDurable`, in order, with the events that the store lacked when the outbox was opened, then with each new
   * event before its append resolves. Resolves when the earlier events have been passed.
   */
  follow(onDurable: (events: readonly RecordedEvent[]) => void): Promise<void>;
  /** The streams of events that the store lacked when the outbox was opened, with the revision of the first one. */
  readonly earlierStreams: ReadonlyMap<string, number>;
  /** Starts to drain events to the store. */
  start(): void;
  /** Waits at most `timeoutMs` until everything is drained. The next start drains the remaining events. */
  close(timeoutMs?: number): Promise<void>;
}

/** Drained events are deleted in batches, because each deletion costs the writer a transaction. */
const PRUNE_AFTER_EVENTS = 1_000;
const PRUNE_AFTER_MS = 1_000;
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Opens the outbox: a SQLite log in the data folder for the streams that only this node writes. Events are durable here
 * even while the store is unreachable (docs/decisions/0011-durable-request-sink.md). The outbox fixes stream, revision, id
 * and bytes of each event; a drainer copies it to the store unchanged.
 * @throws LogCannotStart, and what `store.readIds` throws
 */
export async function openOutbox({ store, drain, maxEvents, report, ...file }: OutboxOptions): Promise<Outbox> {
  const log = await openPrunableLog(file);
  const startDraining = drain ?? ((listener) => startDrainer({ from: log, to: store, ...listener }));
  const streams = readStreams(file.path);
  let pending = streams.reduce((sum, { count }) => sum + count, 0);
  const drainedBefore = await lastRevisions(streams, store).catch(async (error: Error) => {
    await log.close();
    throw error;
  });
  const earlierStreams = new Map<string, number>();
  for (const { stream, first, count } of streams) {
    const next = (drainedBefore.get(stream) ?? first - 1) + 1;
    if (next < first + count) earlierStreams.set(stream, next);
  }
  /** Last drained event of each stream that this start writes to. It is kept, because the next event continues its chain. */
  const lastDrained = new Map<string, Position>();
  let drainedTo = position(0);
  let prunableEvents = 0;
  let pruneTimer: NodeJS.Timeout | undefined;
  let drainer: Drainer | undefined;

  const isNew = ({ stream, revision }: RecordedEvent): boolean => revision > (drainedBefore.get(stream) ?? -1);

  function onDrained({ stream, count, position: upTo }: DrainedEvents): void {
    pending -= count;
    drainedTo = upTo;
    if (lastDrained.has(stream)) lastDrained.set(stream, upTo);
    prunableEvents += count;
    if (prunableEvents >= PRUNE_AFTER_EVENTS) prune();
    else pruneTimer ??= setTimeout(prune, PRUNE_AFTER_MS).unref();
  }

  function prune(): void {
    clearTimeout(pruneTimer);
    pruneTimer = undefined;
    prunableEvents = 0;
    log.prune({ upTo: drainedTo, kept: [...lastDrained.values()] });
  }

  log.subscribe(await log.head(), {
    onEvents(batch) {
      pending += batch.length;
      drainer?.wake();
    },
    onFailure: report,
  });

  return {
    append(stream, ...rest) {
      if (!lastDrained.has(stream)) lastDrained.set(stream, position(0));
      return log.append(stream, ...rest);
    },
    get pending() {
      return pending;
    },
    get isFull() {
      return pending >= maxEvents;
    },
    get blockedReason() {
      return drainer?.blockedReason;
    },
    follow: (onDurable) =>
      new Promise((resolve, reject) => {
        log.subscribe(position(0), {
          onEvents(batch) {
            const newEvents = batch.filter(isNew);
            if (newEvents.length > 0) onDurable(newEvents);
          },
          onCaughtUp: resolve,
          onFailure(error) {
            report(error);
            reject(error);
          },
        });
      }),
    earlierStreams,
    start() {
      drainer = startDraining({ onDrained, report });
    },
    async close(timeoutMs = CLOSE_TIMEOUT_MS) {
      await drainer?.stop(timeoutMs);
      clearTimeout(pruneTimer);
      // No chain has to be continued: the next start writes to streams of its own.
      log.prune({ upTo: drainedTo, kept: [] });
      await log.close();
    },
  };
}

/** Number of events in an outbox file that the store does not have. @throws what `store.readIds` throws */
export async function countPendingEvents(path: string, store: ReplicationTarget): Promise<number> {
  if (!existsSync(path)) return 0;
  const streams = readStreams(path);
  const drained = await lastRevisions(streams, store);
  return streams.reduce((sum, { stream, first, count }) => sum + first + count - 1 - (drained.get(stream) ?? -1), 0);
}

interface StoredStream {
  readonly stream: string;
  /** Revision of its first event in the file. */
  readonly first: number;
  readonly count: number;
}

/** The last revision of each stream that the store already has. */
async function lastRevisions(
  streams: readonly StoredStream[],
  store: ReplicationTarget,
): Promise<ReadonlyMap<string, number>> {
  const revisions = new Map<string, number>();
  for (const { stream, first, count } of streams) {
    const ids = await store.readIds(stream, first, count);
    revisions.set(stream, first + ids.length - 1);
  }
  return revisions;
}

function readStreams(path: string): StoredStream[] {
  const database = openForReading(path);
  try {
    const rows = database.prepare(
      'SELECT stream, min(revision) AS first, count(*) AS count FROM events GROUP BY stream',
    );
    return rows.all() as unknown as StoredStream[];
  } finally {
    database.close();
  }
}
