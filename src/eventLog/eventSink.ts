import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '../domain/core/brands.ts';
import { AppendPacing } from './appendPacing.ts';
import { arrivedMessagesHandled } from './arrivedMessages.ts';
import { dailyStream } from './dailyStream.ts';
import { type AppendOutcome, type EventLog, type EventToAppend, NO_STREAM } from './eventLog.ts';

/** An event could not be made durable, or it is not known yet whether it is. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
  readonly code = 'log_unavailable';
}

export interface EventSinkOptions {
  /** The event log, or the outbox. */
  readonly log: Pick<EventLog, 'append'>;
  readonly node: string;
  readonly boot: string;
  /** First part of the names of the streams, for example `requests`. */
  readonly category: string;
  /** Skips validation of the events: tests have checked that their types match the schemas and survive JSON. */
  readonly isTyped?: boolean;
  /** Decides how long to wait for more events before the next append. */
  readonly pacing?: Pick<AppendPacing, 'pauseAfter'>;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** Maximum number of pending events; beyond it `record` rejects at once. */
  readonly maxPending?: number;
  /** How long an event may wait before no work is begun; an outcome that has arrived here ends the wait. */
  readonly slowMs?: number;
  /** How long `record` waits for the outcome of an append. */
  readonly timeoutMs?: number;
}

export interface EventSink {
  /**
   * Makes an event durable.
   * @param onGivenUp called when it is certain that the event will never be written
   * @returns the position of the event
   * @throws LogUnavailable when the log rejected the event, the queue is full, the sink is closed, or `timeoutMs` has
   *   passed. After a timeout the event stays queued and may still be written
   */
  record(event: EventToAppend, onGivenUp?: () => void): Promise<Position>;
  /** Waits until no event is pending. */
  flush(): Promise<void>;
  /** From now on `record` rejects every event. Waits until no earlier one is pending. */
  close(): Promise<void>;
  /** Number of events whose outcome is open. */
  readonly pending: number;
  /**
   * Whether work may begin whose event must be recorded: false while an append has failed or is late. After the log rejected
   * an event, one call per second returns true until an append succeeds, to find out whether the log accepts events again.
   */
  mayBegin(): boolean;
}

interface QueuedEvent {
  readonly event: EventToAppend;
  readonly stream: string;
  readonly since: number;
  readonly resolve: (position: Position) => void;
  readonly reject: (error: LogUnavailable) => void;
  readonly onGivenUp: (() => void) | undefined;
}

type Rejected = Extract<AppendOutcome, { kind: 'rejected' }>;

const MAX_PER_APPEND = 500;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1_000;
/** Pause between two attempts to find out whether a log that rejected an event accepts events again. */
const TRIAL_INTERVAL_MS = 1_000;
/** An append that takes longer is late. Under load it takes 45 ms at the 99th percentile. */
export const SLOW_APPEND_MS = 2_000;

/**
 * Creates a buffered writer for events of high volume. It is the only writer of the streams
 * `<category>-<node>.<boot>_<yyyymmdd>`, so it counts their revisions itself. One append is in flight; all events that
 * arrive meanwhile go into the next one (docs/decisions/0011-durable-request-sink.md), which a busy thread begins a little later
 * (docs/decisions/0138-paced-appends.md).
 */
export function createEventSink({
  log,
  node,
  boot,
  category,
  isTyped = false,
  pacing = new AppendPacing(),
  now = () => performance.now(),
  maxPending = 10_000,
  slowMs = SLOW_APPEND_MS,
  timeoutMs = 10_000,
}: EventSinkOptions): EventSink {
  const streamOf = dailyStream(`${category}-${node}.${boot}_`);
  const queue: QueuedEvent[] = [];
  const revisions = new Map<string, number>();
  let inFlight: readonly QueuedEvent[] = [];
  let isRunning = false;
  let batchLimit = MAX_PER_APPEND;
  let flushWaiters: (() => void)[] = [];
  let timeoutCheck: NodeJS.Timeout | undefined;
  /** The outcome of the last append is unknown. */
  let isFailing = false;
  let isClosed = false;
  /** When the log rejected an event or a trial began; undefined once it accepted one. */
  let refusedAt: number | undefined;
  /** The oldest pending event, once it is late; and the one of which that is being found out. */
  let late: QueuedEvent | undefined;
  let suspected: QueuedEvent | undefined;

  const oldest = () => inFlight[0] ?? queue[0];

  /** While this thread is busy, outcomes wait here, which does not make their events late. */
  function isLate(): boolean {
    const first = oldest();
    if (!first || now() - first.since < slowMs) return false;
    if (first !== suspected) {
      suspected = first;
      void arrivedMessagesHandled().then(() => {
        if (oldest() === first) late = first;
      });
    }
    return late === first;
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      // Includes events of the current turn of the event loop: a commit costs as much as twenty events.
      await nextTurn();
      inFlight = takeBatch(queue, batchLimit);
      const [began, remaining] = [now(), queue.length];
      await write(inFlight);
      const pauseMs = pacing.pauseAfter(queue.length - remaining, now() - began);
      if (pauseMs > 0 && queue.length > 0) await delay(pauseMs);
    }
    isRunning = false;
    clearTimeout(timeoutCheck);
    timeoutCheck = undefined;
    for (const resolve of flushWaiters) resolve();
    flushWaiters = [];
  }

  async function write(batch: readonly QueuedEvent[]): Promise<void> {
    const stream = (batch[0] as QueuedEvent).stream;
    const events = batch.map(({ event }) => event);
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      const expected = revisions.get(stream) ?? NO_STREAM;
      const outcome = await log
        .append(stream, expected, events, { isValidated: isTyped, isLossless: isTyped })
        .catch(toUnknownOutcome);
      switch (outcome.kind) {
        case 'committed':
          inFlight = [];
          isFailing = false;
          refusedAt = undefined;
          revisions.set(stream, outcome.revision);
          batchLimit = Math.min(batchLimit * 2, MAX_PER_APPEND);
          return resolveAll(batch, outcome.position);
        case 'rejected':
          inFlight = [];
          isFailing = false;
          return handleRejected(batch, outcome);
        case 'conflict':
          // Another sink of this boot wrote to the stream. Ids are unique in the log, so nothing is written twice.
          revisions.set(stream, outcome.actualRevision);
          break;
        case 'unknown':
          isFailing = true;
          break;
      }
      await delay(pauseMs);
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    }
  }

  /** One bad event must not fail the others of its batch, so the batch is split and appended again. */
  function handleRejected(batch: readonly QueuedEvent[], { reason, isLogFine }: Rejected): void {
    const [first] = batch;
    if (batch.length > 1) {
      queue.unshift(...batch);
    } else {
      if (!isLogFine) refusedAt = now();
      first?.onGivenUp?.();
      first?.reject(new LogUnavailable(reason));
    }
    batchLimit = Math.ceil(batch.length / 2);
  }

  function scheduleTimeoutCheck(): void {
    timeoutCheck ??= setTimeout(async () => {
      await arrivedMessagesHandled();
      timeoutCheck = undefined;
      const queuedBefore = now() - timeoutMs;
      for (const { since, reject } of [...inFlight, ...queue]) {
        if (since <= queuedBefore) reject(new LogUnavailable('the log does not respond'));
      }
      if (isRunning) scheduleTimeoutCheck();
    }, timeoutMs / 4);
  }

  async function flush(): Promise<void> {
    if (!isRunning) return;
    await new Promise<void>((resolve) => flushWaiters.push(resolve));
  }

  return {
    record(event, onGivenUp) {
      if (isClosed) {
        onGivenUp?.();
        return Promise.reject(new LogUnavailable('the service has stopped'));
      }
      if (inFlight.length + queue.length >= maxPending) {
        onGivenUp?.();
        return Promise.reject(new LogUnavailable('too many events are waiting for the log'));
      }
      return new Promise((resolve, reject) => {
        queue.push({ event, stream: streamOf(event.time), since: now(), resolve, reject, onGivenUp });
        scheduleTimeoutCheck();
        if (!isRunning) void run();
      });
    },
    flush,
    close() {
      isClosed = true;
      return flush();
    },
    get pending() {
      return inFlight.length + queue.length;
    },
    mayBegin() {
      if (isFailing || isLate()) return false;
      if (refusedAt === undefined) return true;
      if (now() - refusedAt < TRIAL_INTERVAL_MS) return false;
      refusedAt = now();
      return true;
    },
  };
}

const toUnknownOutcome = (error: unknown) => ({ kind: 'unknown' as const, error: error as Error });

function takeBatch(queue: QueuedEvent[], maxSize: number): QueuedEvent[] {
  const stream = queue[0]?.stream;
  const end = queue.findIndex((queued, index) => index === maxSize || queued.stream !== stream);
  return queue.splice(0, end === -1 ? queue.length : end);
}

function resolveAll(batch: readonly QueuedEvent[], last: Position): void {
  batch.forEach(({ resolve }, index) => {
    resolve((last - batch.length + 1 + index) as Position);
  });
}
