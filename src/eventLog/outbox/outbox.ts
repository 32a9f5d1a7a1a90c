import { existsSync } from 'node:fs';
import { position } from '../../domain/core/brands.ts';
import { EventParked } from '../../domain/outbox/events.ts';
import type { Faults } from '../../lib/faults.ts';
import { newEventId } from '../eventId.ts';
import type { EventLog, RecordedEvent } from '../eventLog.ts';
import type { ReplicationTarget } from '../replicationTarget.ts';
import { openForReading } from '../sqlite/database.ts';
import type { ParkedSummary } from '../sqlite/park.ts';
import { openPrunableLog, type SqliteEventLog, type SqliteEventLogOptions } from '../sqlite/sqliteEventLog.ts';
import { type Drainer, startDrainer } from './drainer.ts';
import type { DrainedEvents, DrainListener, DrainTiming, RefusedEvents } from './drainListener.ts';
import { createOutboxFaults } from './outboxFaults.ts';
import { type OutboxReader, openOutboxReader } from './outboxReader.ts';
import { countParked, listParked, readParked } from './parkedEvents.ts';
import { StreamNames } from './streamNames.ts';

export interface DrainStart extends DrainListener {
  /** Last revision of streams that the store already has. */
  readonly drained: ReadonlyMap<string, number>;
}

export interface OutboxOptions extends SqliteEventLogOptions {
  /** The store that the events are copied to. */
  readonly store: ReplicationTarget;
  /** Starts a drainer. Default: one in this thread. */
  readonly drain?: (start: DrainStart) => Drainer;
  readonly timing?: Partial<DrainTiming>;
  /** Number of events, parked ones included, at which the outbox is full. */
  readonly maxEvents: number;
  /** For what an operator should know. */
  readonly faults: Faults;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly report: (error: Error) => void;
}

/** Called with events in order. `isParked`: the store will not take them, so the log will never deliver them. */
export type OnDurable = (events: readonly RecordedEvent[], isParked: boolean) => void;

export interface Outbox extends Pick<SqliteEventLog, 'append' | 'probe'> {
  /** Number of events that are not yet known to be in the store, without the parked ones. */
  readonly pending: number;
  /** Number of events that the store will never take. */
  readonly parked: number;
  /** The first parked events. */
  readonly firstParked: readonly ParkedSummary[];
  /** Whether new requests should be refused. The outbox accepts events of open requests as long as the disk has room. */
  readonly isFull: boolean;
  /** Why events are not drained; undefined while they are. */
  readonly blockedReason: string | undefined;
  /**
   * Calls `onDurable`, in order, with the events that the store lacked when the outbox was opened, then with each new
   * event before its append resolves. Resolves when the earlier events have been passed.
   */
  follow(onDurable: OnDurable): Promise<void>;
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
/** How many parked events are named; `svc outbox list` shows all. */
const MAX_NAMED = 20;

/**
 * Opens the outbox: a SQLite log in the data folder for the streams that only this node writes. Events are durable here
 * even while the store is unreachable (docs/decisions/0011-durable-request-sink.md). The outbox fixes stream, revision, id
 * and bytes of each event; a drainer copies it to the store unchanged, or parks what the store will never take.
 * @throws LogCannotStart, and what `store.countWritten` throws
 */
export async function openOutbox(options: OutboxOptions): Promise<Outbox> {
  const { store, maxEvents, faults, now = Date.now, report, drain, timing = {}, ...file } = options;
  const log = await openPrunableLog(file);
  const reader = openOutboxReader(file.path);
  const streams = reader.streams();
  const drained = await drainedRevisions(reader, store).catch(async (error: Error) => {
    reader.close();
    await log.close();
    throw error;
  });
  const earlierStreams = new Map<string, number>();
  let pending = 0;
  for (const { stream, first, count } of streams) {
    const next = Math.max(first, (drained.get(stream) ?? -1) + 1);
    if (next >= first + count) continue;
    earlierStreams.set(stream, next);
    pending += first + count - next;
  }
  const isNew = ({ stream, revision, type }: RecordedEvent): boolean =>
    revision > (drained.get(stream) ?? -1) && type !== EventParked.type;
  const { parked: parkedBefore, named } = readParkedState(file.path);
  let parked = parkedBefore;
  const firstParked = [...named];

  const names = new StreamNames();
  /** Streams that this start writes to. Their last drained event is kept, because the next one continues its chain. */
  const written = new Set<string>();
  /** Last drained revisions of streams. */
  const prunable = new Map<string, number>(drained);
  let prunableEvents = 0;
  let pruneTimer: NodeJS.Timeout | undefined;
  let drainer: Drainer | undefined;
  let hasFailed = false;
  let closing: Promise<void> | undefined;

  const outboxFaults = createOutboxFaults(faults, { pending: () => pending, path: file.path });
  if (parked > 0) outboxFaults.parkedBefore(firstParked, parked);
  const isFull = (): boolean => {
    const isAtLimit = pending + parked >= maxEvents;
    outboxFaults.full(isAtLimit, { pending, parked, maxEvents });
    return isAtLimit;
  };

  function onDrained({ stream, count, revision }: DrainedEvents): void {
    if (hasFailed) outboxFaults.recovered(undefined);
    hasFailed = false;
    pending -= count;
    prunable.set(stream, revision);
    prunableEvents += count;
    isFull();
    if (prunableEvents >= PRUNE_AFTER_EVENTS) prune();
    else pruneTimer ??= setTimeout(prune, PRUNE_AFTER_MS).unref();
  }

  function prune(): void {
    clearTimeout(pruneTimer);
    pruneTimer = undefined;
    prunableEvents = 0;
    log.prune([...prunable].map(([stream, upTo]) => ({ stream, upTo, keepsLast: written.has(stream) })));
    for (const stream of prunable.keys()) if (!written.has(stream)) prunable.delete(stream);
  }

  async function park(refused: RefusedEvents): Promise<void> {
    // Appends that follow go to another stream. Those before are parked too, because the writer works in order.
    if (refused.scope === 'stream') names.close(refused.stream);
    const result = await log.park({ ...refused, standInId: newEventId(), node: file.node, parkedAt: now() });
    pending -= result.removed;
    parked += result.count;
    firstParked.push(...result.first.slice(0, MAX_NAMED - firstParked.length));
    if (refused.scope === 'event') outboxFaults.parked(result.first, result.count);
    else outboxFaults.parkedStream(refused.stream, result.count, refused.reason);
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
      const current = names.current(stream);
      written.add(current);
      return log.append(current, ...rest);
    },
    probe: log.probe,
    get pending() {
      return pending;
    },
    get parked() {
      return parked;
    },
    get firstParked() {
      return firstParked;
    },
    get isFull() {
      return isFull();
    },
    get blockedReason() {
      return outboxFaults.reason;
    },
    earlierStreams,
    follow: (onDurable) => followFrom(log, file.path, isNew, onDurable, report),
    start() {
      const listener: DrainListener = {
        onDrained,
        park,
        onTrouble: outboxFaults.trouble,
        onRecovered: outboxFaults.recovered,
        onHidden: outboxFaults.hidden,
        onFailure(error) {
          if (!hasFailed) report(error);
          hasFailed = true;
          outboxFaults.trouble({ reason: error.message });
        },
      };
      drainer = drain
        ? drain({ ...listener, drained })
        : startDrainer({ from: reader, to: store, drained, timing, ...listener });
    },
    close(timeoutMs = CLOSE_TIMEOUT_MS) {
      closing ??= close(timeoutMs);
      return closing;
    },
  };

  async function close(timeoutMs: number): Promise<void> {
    await drainer?.stop(timeoutMs);
    clearTimeout(pruneTimer);
    // No chain has to be continued: the next start writes to streams of its own.
    written.clear();
    prune();
    reader.close();
    await log.close();
  }
}

/** Passes earlier events, parked ones at their places, then new ones. Resolves when the earlier ones have been passed. */
function followFrom(
  log: EventLog,
  path: string,
  isNew: (event: RecordedEvent) => boolean,
  onDurable: OnDurable,
  report: (error: Error) => void,
): Promise<void> {
  const database = openForReading(path);
  let parked = readParked(database, position(0));

  function passParked(upTo: number): void {
    while (parked[0] && parked[0].position <= upTo) {
      const events = parked.filter((event) => event.position <= upTo);
      onDurable(events, true);
      parked = events.length < parked.length ? parked.slice(events.length) : readParked(database, last(events));
    }
  }

  return new Promise<void>((resolve, reject) => {
    log.subscribe(position(0), {
      onEvents(batch) {
        for (let rest = batch; rest.length > 0; ) {
          const next = parked[0]?.position ?? Number.POSITIVE_INFINITY;
          const events = rest.filter((event) => event.position < next);
          rest = rest.slice(events.length);
          const newEvents = events.filter(isNew);
          if (newEvents.length > 0) onDurable(newEvents, false);
          if (rest[0]) passParked(rest[0].position);
        }
      },
      onCaughtUp() {
        passParked(Number.POSITIVE_INFINITY);
        resolve();
      },
      onFailure(error) {
        report(error);
        reject(error);
      },
    });
  }).finally(() => database.close());
}

const last = (events: readonly RecordedEvent[]) => (events.at(-1) as RecordedEvent).position;

/** Number of events in an outbox file that the store does not have, without the parked ones. @throws what `store` throws */
export async function countPendingEvents(path: string, store: ReplicationTarget): Promise<number> {
  if (!existsSync(path)) return 0;
  const reader = openOutboxReader(path);
  try {
    const drained = await drainedRevisions(reader, store);
    return reader
      .streams()
      .reduce((sum, { stream, first, count }) => sum + first + count - 1 - (drained.get(stream) ?? first - 1), 0);
  } finally {
    reader.close();
  }
}

/** Number of events that are parked in an outbox file. */
export const countParkedEvents = (path: string): number => (existsSync(path) ? readParkedState(path).parked : 0);

const IDS_PER_CALL = 512;

/** The last revision of each stream that the store already has. */
async function drainedRevisions(reader: OutboxReader, store: ReplicationTarget): Promise<Map<string, number>> {
  const drained = new Map<string, number>();
  for (const { stream, first } of reader.streams()) {
    for (let next = first; ; ) {
      const ids = reader.ids(stream, next, IDS_PER_CALL);
      const written = ids.length === 0 ? 0 : await store.countWritten(stream, ids);
      if (written === 0) break;
      next += written;
      drained.set(stream, next - 1);
      if (written < ids.length) break;
    }
  }
  return drained;
}

function readParkedState(path: string): { readonly parked: number; readonly named: readonly ParkedSummary[] } {
  const database = openForReading(path);
  try {
    return { parked: countParked(database), named: listParked(database).take(MAX_NAMED).toArray() };
  } finally {
    database.close();
  }
}
