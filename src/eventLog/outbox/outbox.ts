import { existsSync } from 'node:fs';
import { type Position, position } from '../../domain/core/brands.ts';
import type { EventLog, RecordedEvent } from '../eventLog.ts';
import type { ReplicationTarget } from '../replicationTarget.ts';
import { openForReading } from '../sqlite/database.ts';
import { openPassingLog, type SqliteEventLogOptions } from '../sqlite/sqliteEventLog.ts';
import { type Drained, type Drainer, type DrainListener, startDrainer } from './drainer.ts';

export interface OutboxOptions extends SqliteEventLogOptions {
  /** Where the events belong. */
  readonly store: ReplicationTarget;
  /** Brings events there; in this thread when absent. */
  readonly drain?: (listener: DrainListener) => Drainer;
  /** With so many waiting it is full. */
  readonly maxEvents: number;
  readonly report: (what: string | Error) => void;
}

export interface Outbox extends Pick<EventLog, 'append'> {
  /** Events that the store may not have yet. */
  readonly pending: number;
  /** Nothing new may be begun. What was begun before still finds room, as long as the disk has some. */
  readonly isFull: boolean;
  /** What holds events back, while something does. */
  readonly trouble: string | undefined;
  /**
   * Tells of every event that the store did not have when the outbox was opened, then of every new one before its append
   * resolves; in order. Resolves when those of before were told.
   */
  follow(onDurable: (events: readonly RecordedEvent[]) => void): Promise<void>;
  /** Begins to bring events to the store. */
  start(): void;
  /** Gives the store a moment to take the rest; what it does not take goes with the next start. */
  close(timeoutMs?: number): Promise<void>;
}

/** Forgetting costs the writer a transaction. */
const FORGET_EVERY = 1_000;
const FORGET_AFTER_MS = 1_000;
const PATIENCE_MS = 5_000;

/**
 * What this node writes in streams of its own, durable in the data folder while the store may be away (design.md section
 * 3). It is the embedded log, which gives each event its stream, revision, id and bytes once; a drainer brings them to
 * the store as they are. Told apart are events that the store had already when a start found them here.
 * @throws LogCannotStart, and what `store.idsOf` throws
 */
export async function openOutbox({ store, drain, maxEvents, report, ...file }: OutboxOptions): Promise<Outbox> {
  const log = await openPassingLog(file);
  const startDraining = drain ?? ((listener) => startDrainer({ from: log, to: store, ...listener }));
  const left = readStreams(file.path);
  let pending = left.reduce((sum, { count }) => sum + count, 0);
  const there = await whatIsThere(left, store).catch(async (error: Error) => {
    await log.close();
    throw error;
  });
  /** Of the streams that this start writes to, the last event in the store: they go on behind it. */
  const lastDrained = new Map<string, Position>();
  let drainedTo = position(0);
  let toForget = 0;
  let forgetting: NodeJS.Timeout | undefined;
  let drainer: Drainer | undefined;

  const isNew = ({ stream, revision }: RecordedEvent): boolean => revision > (there.get(stream) ?? -1);

  function onDrained({ stream, count, position: upTo }: Drained): void {
    pending -= count;
    drainedTo = upTo;
    if (lastDrained.has(stream)) lastDrained.set(stream, upTo);
    toForget += count;
    if (toForget >= FORGET_EVERY) forget();
    else forgetting ??= setTimeout(forget, FORGET_AFTER_MS).unref();
  }

  function forget(): void {
    clearTimeout(forgetting);
    forgetting = undefined;
    toForget = 0;
    log.forget({ upTo: drainedTo, kept: [...lastDrained.values()] });
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
    get trouble() {
      return drainer?.trouble;
    },
    follow: (onDurable) =>
      new Promise((resolve, reject) => {
        log.subscribe(position(0), {
          onEvents(batch) {
            const news = batch.filter(isNew);
            if (news.length > 0) onDurable(news);
          },
          onCaughtUp: resolve,
          onFailure(error) {
            report(error);
            reject(error);
          },
        });
      }),
    start() {
      drainer = startDraining({ onDrained, report });
    },
    async close(patienceMs = PATIENCE_MS) {
      await drainer?.stop(patienceMs);
      clearTimeout(forgetting);
      // Nothing goes on from here: the next start has streams of its own.
      log.forget({ upTo: drainedTo, kept: [] });
      await log.close();
    },
  };
}

/** How many events of an earlier start stand in the file of an outbox and nowhere else. @throws what `store.idsOf` throws */
export async function countPendingEvents(path: string, store: ReplicationTarget): Promise<number> {
  if (!existsSync(path)) return 0;
  const left = readStreams(path);
  const there = await whatIsThere(left, store);
  return left.reduce((sum, { stream, first, count }) => sum + first + count - 1 - (there.get(stream) ?? -1), 0);
}

interface Left {
  readonly stream: string;
  readonly first: number;
  readonly count: number;
}

/** The last revision of each stream that the store has. */
async function whatIsThere(left: readonly Left[], store: ReplicationTarget): Promise<ReadonlyMap<string, number>> {
  const there = new Map<string, number>();
  for (const { stream, first, count } of left) {
    const ids = await store.idsOf(stream, first, count);
    there.set(stream, first + ids.length - 1);
  }
  return there;
}

function readStreams(path: string): Left[] {
  const database = openForReading(path);
  try {
    const rows = database.prepare(
      'SELECT stream, min(revision) AS first, count(*) AS count FROM events GROUP BY stream',
    );
    return rows.all() as unknown as Left[];
  } finally {
    database.close();
  }
}
