import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Position, position } from '../../domain/core/brands.ts';
import type { AppendOutcome, RecordedEvent } from '../eventLog.ts';
import type { PreparedAppend } from '../prepareAppend.ts';
import { packBatch } from './batchText.ts';
import { LogCannotStart, type WritableOptions } from './database.ts';
import type { Forgotten, FromWriter, ToWriter, WriterOutcome } from './wire.ts';

interface Pending {
  readonly append: PreparedAppend;
  readonly settle: (outcome: AppendOutcome) => void;
}

export interface GroupCommitOptions extends WritableOptions {
  /** Program of the writer thread; tests put a failing one here. */
  readonly writer?: URL;
  /** Called with what was committed, in order, before the promises of its appends resolve. */
  readonly onCommitted: (batch: readonly RecordedEvent[]) => void;
  /** Called when a writer started, also a later one, with the position of the last event in the file. */
  readonly onStarted: (head: Position) => void;
}

export interface GroupCommit {
  append(append: PreparedAppend): Promise<AppendOutcome>;
  /** Deletes events. Only for files that are no history: see `outbox/`. */
  forget(forgotten: Forgotten): void;
  /** Waits until every append under way has its outcome. */
  settled(): Promise<void>;
  /** Waits as well, then ends the writer. */
  close(): Promise<void>;
}

const WRITER = new URL('./writer.ts', import.meta.url);

/** A batch is one transaction and one message; more would only make its first callers wait. */
const MAX_EVENTS_PER_BATCH = 1_000;

/**
 * Sends appends to the writer thread with one batch in flight: what arrives meanwhile is the next one
 * (reference/performance.md). A writer that dies leaves its batch `unknown` and is replaced by the next append.
 * @throws LogCannotStart when the first writer cannot open the file
 */
export async function startGroupCommit(options: GroupCommitOptions): Promise<GroupCommit> {
  const queue: Pending[] = [];
  let inFlight: readonly Pending[] = [];
  let worker: Worker | undefined;
  let whenIdle: (() => void) | undefined;

  function send(): void {
    if (inFlight.length > 0) return;
    if (queue.length === 0) {
      whenIdle?.();
      return;
    }
    inFlight = takeBatch(queue);
    worker ??= startWriter();
    post(worker, { batch: packBatch(inFlight.map(({ append }) => append)) });
  }

  function settle(outcomeOf: (index: number) => WriterOutcome): void {
    const batch = inFlight;
    inFlight = [];
    const outcomes = batch.map((_, index) => outcomeOf(index));
    const committed = batch.flatMap(({ append }, index) => recorded(append, outcomes[index] as WriterOutcome));
    if (committed.length > 0) options.onCommitted(committed);
    batch.forEach((pending, index) => {
      pending.settle(asOutcome(outcomes[index] as WriterOutcome));
    });
    send();
  }

  function startWriter(): Worker {
    const { path, maxBytes, writer = WRITER } = options;
    const started = new Worker(writer, { workerData: { path, maxBytes } });
    let reason = 'the writer of the log ended';
    started.on('message', (message: FromWriter) => {
      if (message.kind === 'settled') settle((index) => message.outcomes[index] as WriterOutcome);
      else if (message.kind === 'started') options.onStarted(message.head);
      else reason = message.message;
    });
    started.on('error', (error) => {
      reason = (error as Error).message;
    });
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      settle(() => ({ kind: 'unknown', message: reason }));
    });
    return started;
  }

  async function settled(): Promise<void> {
    if (inFlight.length === 0) return;
    await new Promise<void>((resolve) => {
      whenIdle = resolve;
    });
  }

  worker = startWriter();
  const [first] = (await once(worker, 'message')) as [FromWriter];
  if (first.kind === 'failed') throw new LogCannotStart(first.message);

  return {
    append: (append) =>
      new Promise((resolve) => {
        queue.push({ append, settle: resolve });
        send();
      }),
    forget: (forgotten) => worker && post(worker, { forget: forgotten }),
    settled,
    async close() {
      await settled();
      if (!worker) return;
      post(worker, 'close');
      await once(worker, 'exit');
    },
  };
}

const post = (worker: Worker, message: ToWriter): void => worker.postMessage(message);

function takeBatch(queue: Pending[]): Pending[] {
  let events = 0;
  let count = 0;
  for (const { append } of queue) {
    events += append.events.length;
    if (count > 0 && events > MAX_EVENTS_PER_BATCH) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** The events of an append as a reader would find them; none when it was not committed now. */
function recorded({ stream, events, data }: PreparedAppend, outcome: WriterOutcome): RecordedEvent[] {
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

function asOutcome(outcome: WriterOutcome): AppendOutcome {
  switch (outcome.kind) {
    case 'committed':
      return { kind: 'committed', revision: outcome.revision, position: outcome.position };
    case 'unknown':
      return { kind: 'unknown', error: new Error(outcome.message) };
    default:
      return outcome;
  }
}
