import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Position } from '../domain/core/brands.ts';
import { type EventLog, type EventToAppend, NO_STREAM } from './eventLog.ts';

/** An event could not be made durable, or nobody knows yet whether it is. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
  readonly code = 'log_unavailable';
}

export interface EventSinkOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly node: string;
  readonly boot: string;
  /** First part of the names of the streams: `requests`, `sessions`. */
  readonly category: string;
  /** Events come from code whose types are checked: schemas and numbers are tried in tests, not on every request. */
  readonly isTyped?: boolean;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
  /** Events that may wait; with more, `record` rejects at once. */
  readonly maxPending?: number;
  /** How long a caller waits for an event that the log neither takes nor refuses. */
  readonly timeoutMs?: number;
}

export interface EventSink {
  /**
   * Makes an event durable. @returns its position @throws LogUnavailable when the log refused it, the queue is full, or
   * patience ended; in the last case it stays queued and may still be written
   * @param onGivenUp told when it is certain that the event will never be written
   */
  record(event: EventToAppend, onGivenUp?: () => void): Promise<Position>;
  /** Waits until nothing is pending. */
  flush(): Promise<void>;
  /** Events that are not settled yet. */
  readonly pending: number;
  /** What would be recorded now would most likely not be taken: nothing should be begun whose end must be durable. */
  readonly isBlocked: boolean;
}

interface Waiting {
  readonly event: EventToAppend;
  readonly stream: string;
  readonly since: number;
  readonly resolve: (position: Position) => void;
  readonly reject: (error: LogUnavailable) => void;
  readonly onGivenUp: (() => void) | undefined;
}

const MAX_PER_APPEND = 500;
const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1_000;
/** So long a refusal stands, unless something is taken before: then somebody has to try whether it still does. */
const REFUSAL_MS = 1_000;

/**
 * The one writer of this start's request streams, `<category>-<node>.<boot>_<yyyymmdd>`: it counts their revisions
 * itself, has one append in flight and puts everything that came meanwhile into the next.
 */
export function createEventSink({
  log,
  node,
  boot,
  category,
  isTyped = false,
  now = () => performance.now(),
  maxPending = 10_000,
  timeoutMs = 10_000,
}: EventSinkOptions): EventSink {
  const streamOf = dailyStream(`${category}-${node}.${boot}_`);
  const queue: Waiting[] = [];
  const revisions = new Map<string, number>();
  let inFlight: readonly Waiting[] = [];
  let isRunning = false;
  let mostPerAppend = MAX_PER_APPEND;
  let flushing: (() => void)[] = [];
  let patience: NodeJS.Timeout | undefined;
  let refusedAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    isRunning = true;
    while (queue.length > 0) {
      // What this turn of the event loop still brings goes along: a commit costs as much as twenty events.
      await nextTurn();
      inFlight = takeBatch(queue, mostPerAppend);
      await write(inFlight);
    }
    isRunning = false;
    clearTimeout(patience);
    patience = undefined;
    for (const done of flushing) done();
    flushing = [];
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    const stream = (batch[0] as Waiting).stream;
    const events = batch.map(({ event }) => event);
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      const expected = revisions.get(stream) ?? NO_STREAM;
      const outcome = await log
        .append(stream, expected, events, { isValidated: isTyped, isLossless: isTyped })
        .catch(asUnknown);
      switch (outcome.kind) {
        case 'committed':
          inFlight = [];
          refusedAt = Number.NEGATIVE_INFINITY;
          revisions.set(stream, outcome.revision);
          mostPerAppend = Math.min(mostPerAppend * 2, MAX_PER_APPEND);
          return resolveAll(batch, outcome.position);
        case 'rejected':
          inFlight = [];
          return refuse(batch, outcome.reason);
        case 'conflict':
          // Another sink of this start wrote before. Ids are unique in the log, so nothing can be written twice.
          revisions.set(stream, outcome.actualRevision);
          break;
        case 'unknown':
          break;
      }
      await wait(pauseMs);
      pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    }
  }

  /** One bad event must not take the others of its batch with it: they go again in smaller ones. */
  function refuse(batch: readonly Waiting[], reason: string): void {
    const [first] = batch;
    if (batch.length > 1) {
      queue.unshift(...batch);
    } else {
      refusedAt = now();
      first?.onGivenUp?.();
      first?.reject(new LogUnavailable(reason));
    }
    mostPerAppend = Math.ceil(batch.length / 2);
  }

  function watchPatience(): void {
    patience ??= setTimeout(() => {
      patience = undefined;
      const tooOld = now() - timeoutMs;
      for (const { since, reject } of [...inFlight, ...queue]) {
        if (since <= tooOld) reject(new LogUnavailable('the log does not answer'));
      }
      if (isRunning) watchPatience();
    }, timeoutMs / 4);
  }

  return {
    record(event, onGivenUp) {
      if (inFlight.length + queue.length >= maxPending) {
        onGivenUp?.();
        return Promise.reject(new LogUnavailable('too many events wait for the log'));
      }
      return new Promise((resolve, reject) => {
        queue.push({ event, stream: streamOf(event.time), since: now(), resolve, reject, onGivenUp });
        watchPatience();
        if (!isRunning) void run();
      });
    },
    async flush() {
      if (!isRunning) return;
      await new Promise<void>((resolve) => flushing.push(resolve));
    },
    get pending() {
      return inFlight.length + queue.length;
    },
    get isBlocked() {
      const since = (inFlight[0] ?? queue[0])?.since;
      if (since === undefined && refusedAt === Number.NEGATIVE_INFINITY) return false;
      return now() - refusedAt < REFUSAL_MS || (since !== undefined && now() - since >= timeoutMs);
    },
  };
}

const asUnknown = (error: unknown) => ({ kind: 'unknown' as const, error: error as Error });

function takeBatch(queue: Waiting[], most: number): Waiting[] {
  const stream = queue[0]?.stream;
  const end = queue.findIndex((waiting, index) => index === most || waiting.stream !== stream);
  return queue.splice(0, end === -1 ? queue.length : end);
}

function resolveAll(batch: readonly Waiting[], last: Position): void {
  batch.forEach(({ resolve }, index) => {
    resolve((last - batch.length + 1 + index) as Position);
  });
}

const DAY_MS = 86_400_000;

/** Name of the stream for a time: the prefix and the day in UTC, `yyyymmdd`; nearly always the same as before. */
function dailyStream(prefix: string): (time: number) => string {
  let today = Number.NaN;
  let stream = '';
  return (time) => {
    const day = Math.floor(time / DAY_MS);
    if (day !== today) {
      today = day;
      stream = prefix + new Date(time).toISOString().slice(0, 10).replaceAll('-', '');
    }
    return stream;
  };
}
