import { isDeepStrictEqual } from 'node:util';
import type { Position } from '../../domain/core/brands.ts';
import { position } from '../../domain/core/brands.ts';
import type { WrappedKeys } from '../../vault/envelope.ts';
import { type BatchLimits, batchesByStream } from '../batchesByStream.ts';
import type { StoredEvent } from '../eventLog.ts';
import { sizeOfEvent } from '../eventSize.ts';
import { type OpenedExport, openExport, writeExport } from './exportFile.ts';
import { type HistorySource, type HistoryTarget, type OnProgress, TransferFailed } from './history.ts';
import { digestOf } from './historyDigest.ts';
import { eventsUpTo, verifyEvents } from './verifiedEvents.ts';

export interface TransferSummary {
  readonly events: number;
  readonly keys: number;
  /** Number of events that an earlier attempt had imported. */
  readonly alreadyThere: number;
}

/** Well below the limit of EventStoreDB (docs/stores.md#eventstoredb-size-of-an-append). */
const MAX_PER_APPEND: BatchLimits = { events: 200, bytes: 512 * 1_024 };

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
  const file = await openExport(path);
  // The whole file is verified before anything is written.
  const expected = await digestOf(verifyEvents(file.events(), path));
  const existing = await target.head();
  if (existing > file.head) throw notEmpty(`it has ${existing} events, the file ${file.head}`);
  await refuseOtherHistory(target, file, existing);
  await target.writeKeys(file.keys);
  let done: number = existing;
  const batches = batchesByStream(eventsAfter(file.events(), existing), () => MAX_PER_APPEND, sizeOfEvent);
  for await (const batch of readAhead(batches)) {
    await target.append(batch);
    done += batch.length;
    onProgress(done, file.head);
  }
  await verifyAll(target, file, expected);
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
  const difference = await findFirstDifference(eventsUpTo(file.events(), head), target.readAll(position(0)));
  if (difference !== undefined) throw notEmpty(`it differs from the file at position ${difference}`);
}

/** @param expected digest of the file's events */
async function verifyAll(target: HistoryTarget, file: OpenedExport, expected: string): Promise<void> {
  const head = await target.head();
  const events = () => verifyEvents(target.readAll(position(0)), 'the new log');
  if (head !== file.head || (await digestOf(events())) !== expected) {
    const difference = await findFirstDifference(file.events(), events());
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
  expected: AsyncIterable<StoredEvent>,
  actual: AsyncIterable<StoredEvent>,
): Promise<number | undefined> {
  const iterator = actual[Symbol.asyncIterator]();
  try {
    for await (const event of expected) {
      const { value } = await iterator.next();
      if (!isDeepStrictEqual(value, event)) return event.position;
    }
    return undefined;
  } finally {
    await iterator.return?.();
  }
}

/** Reads the next item while the caller works on one. */
async function* readAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  const read = () => {
    const next = items.next();
    // It is thrown when its turn comes, unless the caller has failed before.
    next.catch(() => {});
    return next;
  };
  try {
    for (let next = read(); ; ) {
      const { value, done } = await next;
      if (done) return;
      next = read();
      yield value;
    }
  } finally {
    await items.return(undefined);
  }
}

async function* eventsAfter(events: AsyncIterable<StoredEvent>, after: Position): AsyncGenerator<StoredEvent> {
  for await (const event of events) if (event.position > after) yield event;
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
