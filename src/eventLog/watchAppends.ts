import type { Faults } from '../lib/faults.ts';
import { arrivedMessagesHandled } from './arrivedMessages.ts';
import { type AppendOutcome, type EventLog, LOG_CLOSED } from './eventLog.ts';
import { SLOW_APPEND_MS } from './eventSink.ts';

/** A log in a file of the data folder, or the outbox. */
export interface WatchedLog extends Pick<EventLog, 'append'> {
  /** Proves that a write is durable and that there is room for an event. Rejects when that fails. */
  probe(): Promise<void>;
}

export interface WatchAppendsOptions {
  readonly faults: Faults;
  /** The file that is written. */
  readonly path: string;
  /** Why nothing may be written now; undefined while that is not so. */
  readonly refusal?: () => string | undefined;
  /** Called with how long each append took that was committed, and how many events it had. */
  readonly onAppended?: ((durationMs: number, events: number) => void) | undefined;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** How long an append may take before it is a fault. */
  readonly slowMs?: number;
}

export interface Watched {
  /** Whether what is appended now would not be known to be durable. */
  readonly isFailing: () => boolean;
  /** Makes sure that `isFailing` holds for now: probes a log to which nothing has been written for a while. */
  readonly checkIdle: () => Promise<void>;
}

/** How long a write proves that the next one will succeed, for callers that want to know without writing. */
const PROVEN_MS = 5_000;
const CODE = 'log_write_failing';
const REMEDY =
  'Check the disk and its file system. svc tries again every second, and serves requests again once a write has succeeded.';

/**
 * Watches the appends to a file in the data folder. An append whose end is not reported in time, or that failed without a
 * known outcome, is a fault until a write succeeds: while nothing else is written, an empty change is. A log that rejects
 * events, for instance because its disk is full, is failing for as long; the fault is that of `reportRejectedAppends`.
 * @returns the same log, with appends that are watched
 */
export function watchAppends<Log extends WatchedLog>(
  log: Log,
  {
    faults,
    path,
    refusal = () => undefined,
    onAppended,
    now = () => performance.now(),
    slowMs = SLOW_APPEND_MS,
  }: WatchAppendsOptions,
): Log & Watched {
  /** When the appends began whose outcome is open, the oldest first. */
  const open = new Set<{ readonly since: number }>();
  let isFailing = false;
  let isProbing = false;
  /** When a write last succeeded. */
  let provenAt = now();
  let timer: NodeJS.Timeout | undefined;

  function fail(problem: string): void {
    isFailing = true;
    faults.raise({
      code: CODE,
      subject: path,
      cause: `${problem} New model requests and changes get 503 log_unavailable.`,
      remedy: REMEDY,
    });
    scheduleCheck();
  }

  function recover(): void {
    provenAt = now();
    if (!isFailing) return;
    isFailing = false;
    faults.clear(CODE, path);
  }

  function scheduleCheck(): void {
    if (!timer) timer = setTimeout(check, slowMs / 2).unref();
  }

  async function check(): Promise<void> {
    // While this thread is busy, outcomes wait here; a process that was stopped for a while finds its timers due first.
    await arrivedMessagesHandled();
    timer = undefined;
    const [oldest] = open;
    if (oldest && now() - oldest.since >= slowMs) {
      fail(`The disk has not confirmed a write to ${path} for ${Math.round((now() - oldest.since) / 1_000)} s.`);
    }
    if (!oldest && isFailing && !isProbing) void probe();
    if (oldest || isFailing) scheduleCheck();
  }

  async function probe(onFailed: (error: Error) => void = () => undefined): Promise<void> {
    isProbing = true;
    await log.probe().then(recover, onFailed);
    isProbing = false;
  }

  async function checkIdle(): Promise<void> {
    if (isFailing || isProbing || open.size > 0 || now() - provenAt < PROVEN_MS) return;
    const pending = { since: now() };
    open.add(pending);
    scheduleCheck();
    await probe((error) => fail(cannotBeWritten(path, error)));
    open.delete(pending);
  }

  async function append(...args: Parameters<EventLog['append']>): Promise<AppendOutcome> {
    const reason = refusal();
    if (reason !== undefined) return { kind: 'rejected', reason };
    const pending = { since: now() };
    open.add(pending);
    scheduleCheck();
    try {
      const outcome = await log.append(...args);
      if (outcome.kind === 'unknown') fail(cannotBeWritten(path, outcome.error));
      if (outcome.kind === 'committed') {
        recover();
        onAppended?.(now() - pending.since, args[2].length);
      }
      if (outcome.kind === 'rejected' && !outcome.isLogFine && outcome.reason !== LOG_CLOSED) {
        isFailing = true;
        scheduleCheck();
      }
      return outcome;
    } finally {
      open.delete(pending);
    }
  }

  const watched: Watched & Pick<EventLog, 'append'> = {
    append,
    isFailing: () => isFailing || refusal() !== undefined,
    checkIdle,
  };
  return Object.assign(Object.create(log) as Log, watched);
}

const cannotBeWritten = (path: string, { message }: Error): string => `${path} cannot be written: ${message}.`;
