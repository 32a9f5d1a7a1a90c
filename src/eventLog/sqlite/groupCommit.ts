import { type Position, position } from '../../domain/core/brands.ts';
import { startThread } from '../../lib/threads/startThread.ts';
import type { PositionRange } from '../archive/segment.ts';
import { arrivedMessagesHandled } from '../arrivedMessages.ts';
import type { AppendOutcome, RecordedEvent } from '../eventLog.ts';
import type { PreparedAppend } from '../prepareAppend.ts';
import type { PlacedRow } from './archivedRows.ts';
import { packBatch } from './batchText.ts';
import type { WriterOutcome } from './batchWriter.ts';
import { LogCannotStart, type WritableOptions } from './database.ts';
import type { JournalFault } from './journalGuard.ts';
import type { MarkSettings, OnMarkFailure } from './logMark.ts';
import type { Parked, ParkRequest } from './park.ts';
import type { PruneRange } from './prune.ts';
import type { WriterThread } from './writerProtocol.ts';

interface PendingAppend {
  readonly append: PreparedAppend;
  /** Called at least once; only the first outcome counts. */
  readonly settle: (outcome: AppendOutcome) => void;
  readonly since: number;
}

export type OnJournalFault = (fault: JournalFault | undefined) => void;

export interface GroupCommitOptions extends WritableOptions {
  /** Program of the writer thread. Tests pass one that crashes. */
  readonly writer?: URL;
  /** The file that says how far the log reaches (docs/decisions/0059-high-water-mark.md); no mark is kept without it. */
  readonly mark?: MarkSettings | undefined;
  readonly onMarkFailure?: OnMarkFailure | undefined;
  /** Called when nothing may be written because of the write-ahead log, and with undefined when that is over. */
  readonly onJournalFault?: OnJournalFault | undefined;
  /** `archive.sqlite`, which knows the ends of streams whose events are archived. */
  readonly archivePath?: string | undefined;
  /** Called with committed events, in order, before the promises of their appends resolve. */
  readonly onCommitted: (batch: readonly RecordedEvent[]) => void;
  /** Called at each start of a writer thread with the position of the last event in the file. */
  readonly onStarted: (head: Position) => void;
  /** How long an append may wait for its end, which is `unknown` then. */
  readonly timeoutMs?: number;
}

export interface GroupCommit {
  append(append: PreparedAppend): Promise<AppendOutcome>;
  /** Deletes events, for files that are not the history (see `outbox/`). */
  prune(ranges: readonly PruneRange[]): void;
  /** Parks events, in order with the appends. @throws the error of SQLite, or ThreadEnded */
  park(request: ParkRequest): Promise<Parked>;
  /** Removes archived rows, between the appends. @throws the error of SQLite, or ThreadEnded */
  removeRows(ranges: readonly PositionRange[]): Promise<void>;
  /** Puts archived rows back, between the appends. @throws as `removeRows` */
  restoreRows(rows: readonly PlacedRow[]): Promise<void>;
  /** Proves that a write is durable and that there is room for an event. Rejects when that fails. */
  probe(): Promise<void>;
  /** Whether the write-ahead log lacks events: no connection may copy it into the database. */
  readonly isJournalCut: boolean;
  /** Resolves when every pending append has its outcome. */
  waitUntilSettled(): Promise<void>;
  /** Waits for pending appends, then stops the writer. */
  close(): Promise<void>;
}

const WRITER = new URL('./writer.ts', import.meta.url);

const TIMEOUT_MS = 5_000;

/** A batch is one transaction and one message. A larger one would only delay its first appends. */
const MAX_EVENTS_PER_BATCH = 1_000;

/**
 * Sends appends to the writer thread. One batch is in flight; appends that arrive meanwhile form the next one
 * (docs/decisions/0012-embedded-log.md). When the writer dies, its batch ends as `unknown` and the next append starts a
 * new writer. An append whose end the writer does not report in time ends as `unknown` too.
 * @throws LogCannotStart when the first writer cannot open the file
 */
export async function startGroupCommit(options: GroupCommitOptions): Promise<GroupCommit> {
  const { path, maxBytes, writer = WRITER, mark, archivePath, onMarkFailure, timeoutMs = TIMEOUT_MS } = options;
  const queue: PendingAppend[] = [];
  let inFlight: readonly PendingAppend[] = [];
  let onIdle: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isJournalCut = false;

  function send(): void {
    if (inFlight.length > 0) return;
    if (queue.length === 0) {
      onIdle?.();
      return;
    }
    inFlight = takeBatch(queue);
    thread.request('commit', packBatch(inFlight.map(({ append }) => append))).then(settle, (error: Error) => {
      settle(inFlight.map(() => ({ kind: 'unknown', message: error.message })));
    });
  }

  /** @param outcomes of the batch in flight, in the order of its appends */
  function settle(outcomes: readonly WriterOutcome[]): void {
    const batch = inFlight;
    inFlight = [];
    const committed = batch.flatMap(({ append }, index) => toRecordedEvents(append, outcomes[index] as WriterOutcome));
    if (committed.length > 0) options.onCommitted(committed);
    batch.forEach((pending, index) => {
      pending.settle(toAppendOutcome(outcomes[index] as WriterOutcome));
    });
    send();
  }

  /** A disk may take any time to confirm a sync, but callers do not wait for it that long. */
  function scheduleTimeoutCheck(): void {
    timer ??= setTimeout(async () => {
      // What the writer has reported while this thread was busy, or its process stopped, is not late.
      await arrivedMessagesHandled();
      timer = undefined;
      const before = performance.now() - timeoutMs;
      const isLate = ({ since }: PendingAppend) => since <= before;
      const error = new Error(`the disk has not confirmed the write for ${timeoutMs / 1_000} s`);
      const unsent = queue.findIndex((pending) => !isLate(pending));
      const late = [...inFlight.filter(isLate), ...queue.splice(0, unsent === -1 ? queue.length : unsent)];
      for (const { settle } of late) settle({ kind: 'unknown', error });
      if (inFlight.length > 0) scheduleTimeoutCheck();
    }, timeoutMs / 4).unref();
  }

  async function waitUntilSettled(): Promise<void> {
    if (inFlight.length === 0) return;
    await new Promise<void>((resolve) => {
      onIdle = resolve;
    });
  }

  const thread = startThread<WriterThread>(writer, {
    name: 'event log writer',
    options: () => ({ path, maxBytes, mark, archivePath }),
    onReady: ({ head }) => options.onStarted(head),
    restart: 'with the next message',
    reports: {
      markWritten: (failure) => onMarkFailure?.(failure),
      journalChecked(fault) {
        isJournalCut ||= fault?.isCut ?? false;
        options.onJournalFault?.(fault);
      },
    },
  });
  try {
    await thread.ready;
  } catch (error) {
    throw new LogCannotStart((error as Error).message, { cause: error });
  }

  return {
    append: (append) =>
      new Promise((resolve) => {
        queue.push({ append, settle: resolve, since: performance.now() });
        send();
        scheduleTimeoutCheck();
      }),
    prune: (ranges) => thread.notify('prune', ranges),
    park: (request) => thread.request('park', request),
    removeRows: (ranges) => thread.request('removeRows', ranges),
    restoreRows: (rows) => thread.request('restoreRows', rows),
    probe: () => thread.request('probe'),
    get isJournalCut() {
      return isJournalCut;
    },
    waitUntilSettled,
    async close() {
      await waitUntilSettled();
      clearTimeout(timer);
      await thread.stop();
    },
  };
}

function takeBatch(queue: PendingAppend[]): PendingAppend[] {
  let events = 0;
  let count = 0;
  for (const { append } of queue) {
    events += append.events.length;
    if (count > 0 && events > MAX_EVENTS_PER_BATCH) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** The events of an append as a read would return them; none if this append did not write them. */
function toRecordedEvents({ stream, events, data }: PreparedAppend, outcome: WriterOutcome): RecordedEvent[] {
  if (outcome.kind !== 'committed' || outcome.isRepeat) return [];
  const before = { position: outcome.position - events.length, revision: outcome.revision - events.length };
  return events.map(
    ({ type, time }, index) =>
      ({
        type,
        data: data[index],
        position: position(before.position + index + 1),
        time,
        stream,
        revision: before.revision + index + 1,
      }) as RecordedEvent,
  );
}

function toAppendOutcome(outcome: WriterOutcome): AppendOutcome {
  switch (outcome.kind) {
    case 'committed':
      return { kind: 'committed', revision: outcome.revision, position: outcome.position };
    case 'unknown':
      return { kind: 'unknown', error: new Error(outcome.message) };
    default:
      return outcome;
  }
}
