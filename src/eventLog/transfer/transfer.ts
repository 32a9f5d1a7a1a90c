import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Position } from '../../domain/core/brands.ts';
import { position } from '../../domain/core/brands.ts';
import type { WrappedKeys } from '../../vault/envelope.ts';
import type { StoredEvent } from '../eventLog.ts';
import { sizeOfText } from '../eventSize.ts';
import type { EventTuple } from '../sqlite/eventTuple.ts';
import { eventOfTuple, tuplesUpTo } from './eventTuples.ts';
import { type OpenedExport, openExport, writeExport } from './exportFile.ts';
import {
  type BatchLimits,
  type HistorySource,
  type HistoryTarget,
  type OnProgress,
  TransferFailed,
} from './history.ts';
import { eventsUpTo, verifyEvents } from './verifiedEvents.ts';
import { spelledAsWritten, TupleVerifier } from './verifiedTuples.ts';

const EVENTS_PER_TURN = 4_096;

export interface TransferSummary {
  readonly events: number;
  readonly keys: number;
  /** Number of events that an earlier attempt had imported. */
  readonly alreadyThere: number;
}

/**
 * Exports a complete history into a file, and verifies the chain of each stream.
 * @param onBreak called with a sentence for each event that is not intact, which is exported then; without it, export fails
 * @throws TransferFailed
 */
export async function exportHistory(
  source: HistorySource,
  path: string,
  onProgress: OnProgress,
  onBreak?: (message: string) => void,
): Promise<TransferSummary> {
  refuseArchived(source);
  // The head is read before the keys, so that the keys of all exported events are included.
  const head = await source.head();
  const keys = await source.readKeys();
  const events = reportProgress(
    verifyEvents(eventsUpTo(source.readAll(position(0)), head), 'the log', onBreak),
    head,
    onProgress,
  );
  await writeExport(path, { head, keys, events });
  return { events: head, keys: keys.keys.length, alreadyThere: 0 };
}

/**
 * Imports a history from a file into an empty store, with unchanged order and bytes. Then compares the store with the file:
 * every event, the chain of each stream and every key. After an interruption, another run continues. The file is read twice:
 * verified, and imported.
 * @throws TransferFailed
 */
export async function importHistory(
  target: HistoryTarget,
  path: string,
  onProgress: OnProgress,
): Promise<TransferSummary> {
  const file = openExport(path);
  // The whole file is verified before anything is written.
  const verified = new TupleVerifier(path);
  for (const event of file.events()) {
    verified.verify(event);
    // A connection to the store must not take this process for dead.
    if (event[0] % EVENTS_PER_TURN === 0) await nextTurn();
  }
  const existing = await target.head();
  if (existing > file.head) throw notEmpty(`it has ${existing} events, the file ${file.head}`);
  await refuseOtherHistory(target, file, existing);
  await target.writeKeys(file.keys);
  let done: number = existing;
  let writing = Promise.resolve();
  const write = async (batch: readonly EventTuple[]) => {
    await target.append(batch);
    done += batch.length;
    onProgress(done, file.head);
  };
  const events = verified.isAsWritten ? file.eventsAgain() : Iterator.from(file.events()).map(spelledAsWritten);
  for (const batch of batchesOf(tuplesAfter(events, existing), target.batches)) {
    await writing;
    // The next batch is read meanwhile, and what goes wrong is thrown when its turn comes.
    writing = write(batch);
    writing.catch(() => {});
  }
  await writing;
  await verifyAll(target, file, verified.digest());
  return { events: file.head, keys: file.keys.keys.length, alreadyThere: existing };
}

/** An export is a whole history: what is archived is in files of its own. */
function refuseArchived({ archivedDays = [] }: HistorySource): void {
  if (archivedDays.length === 0) return;
  const [first, last] = [archivedDays[0], archivedDays.at(-1)];
  const days = first === last ? `${first} are` : `${first} to ${last} (${archivedDays.length} days) are`;
  throw new TransferFailed(
    `an export has every event, but the requests of ${days} archived. Restore them with "svc restore-archive" first, or ` +
      'move the data folder as it is, which needs no archive file.',
  );
}

/** The events in the store must be the first events of the file. */
async function refuseOtherHistory(target: HistoryTarget, file: OpenedExport, head: Position): Promise<void> {
  if (head === 0) return;
  const difference = await findFirstDifference(tuplesUpTo(file.events(), head), target.readPages());
  if (difference !== undefined) throw notEmpty(`it differs from the file at position ${difference}`);
}

/** @param expected digest of the file's events */
async function verifyAll(target: HistoryTarget, file: OpenedExport, expected: string): Promise<void> {
  const head = await target.head();
  const stored = new TupleVerifier('the new log');
  for await (const page of target.readPages()) for (const event of page) stored.verify(event);
  if (head !== file.head || stored.digest() !== expected) {
    const difference = await findFirstDifference(file.events(), target.readPages());
    throw new TransferFailed(
      `the imported log differs from the file at position ${difference ?? file.head + 1}: another process writes to the ` +
        'store. Stop every node, empty the store and import again.',
    );
  }
  if (isDeepStrictEqual(comparableKeys(await target.readKeys()), comparableKeys(file.keys))) return;
  throw new TransferFailed('the keys of the vault differ from those of the file. Import again into an empty store.');
}

/** Keys as sorted text, for comparison: they are read as different kinds of byte arrays. */
const comparableKeys = ({ installation, keys }: WrappedKeys): readonly (string | undefined)[] => [
  installation && Buffer.from(installation).toString('hex'),
  ...keys.map(({ id, subject, wrapped }) => `${id} ${subject} ${Buffer.from(wrapped).toString('hex')}`).toSorted(),
];

/** @returns the position of the first expected event that differs */
async function findFirstDifference(
  expected: Generator<EventTuple>,
  actual: AsyncIterable<readonly EventTuple[]>,
): Promise<number | undefined> {
  try {
    for await (const page of actual) {
      for (const event of page) {
        const { value, done } = expected.next();
        if (done) return undefined;
        if (!isSameEvent(value, event)) return value[0];
      }
    }
    const { value, done } = expected.next();
    return done ? undefined : value[0];
  } finally {
    expected.return(undefined);
  }
}

const isSameEvent = (one: EventTuple, other: EventTuple): boolean =>
  one.every((value, index) => value === other[index]) || isDeepStrictEqual(eventOfTuple(one), eventOfTuple(other));

/** Groups consecutive events, without changing their order. */
function* batchesOf(
  events: Iterable<EventTuple>,
  { events: maxEvents, bytes: maxBytes, isOneStream }: BatchLimits,
): Generator<EventTuple[]> {
  let batch: EventTuple[] = [];
  let bytes = 0;
  for (const event of events) {
    const [, stream, , , , , , data, metadata] = event;
    const size = sizeOfText(data, metadata);
    const isFull = batch.length >= maxEvents || bytes + size > maxBytes;
    if (batch.length > 0 && (isFull || (isOneStream && batch[0]?.[1] !== stream))) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function* tuplesAfter(events: Iterable<EventTuple>, after: Position): Generator<EventTuple> {
  for (const event of events) if (event[0] > after) yield event;
}

async function* reportProgress(
  events: AsyncIterable<StoredEvent>,
  total: number,
  onProgress: OnProgress,
): AsyncGenerator<StoredEvent> {
  for await (const event of events) {
    yield event;
    onProgress(event.position, total);
  }
}

const notEmpty = (reason: string) =>
  new TransferFailed(
    `the store is not empty, and its events are not part of this history: ${reason}. Import into an empty store.`,
  );
