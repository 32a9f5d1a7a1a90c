import { isDeepStrictEqual } from 'node:util';
import type { Position } from '../../domain/core/brands.ts';
import { position } from '../../domain/core/brands.ts';
import type { WrappedKeys } from '../../vault/envelope.ts';
import { batchesByStream } from '../batchesByStream.ts';
import type { StoredEvent } from '../eventLog.ts';
import { type Exported, openExport, writeExport } from './exportFile.ts';
import { type HistorySource, type HistoryTarget, type OnProgress, TransferFailed } from './history.ts';
import { eventsUpTo, verifiedEvents } from './verifiedEvents.ts';

export interface Summary {
  readonly events: number;
  readonly keys: number;
  /** Events that an earlier attempt had brought. */
  readonly alreadyThere: number;
}

/** Well below what EventStoreDB takes at once. */
const MAX_PER_APPEND = 200;

/**
 * Writes a whole history into a file, each event proved while it is read.
 * @throws TransferFailed
 */
export async function exportHistory(source: HistorySource, path: string, onProgress: OnProgress): Promise<Summary> {
  // The head first: what is sealed up to there has its key by then.
  const head = await source.head();
  const keys = await source.wrappedKeys();
  const events = told(verifiedEvents(eventsUpTo(source.readAll(position(0)), head), 'the log'), head, onProgress);
  await writeExport(path, { head, keys, events });
  return { events: head, keys: keys.keys.length, alreadyThere: 0 };
}

/**
 * Brings a history from a file into an empty store, in its order and with its bytes, then compares what is there with the
 * file: every event, the chain of each stream, every key. Interrupted, it goes on where it stopped when it is run again.
 * @throws TransferFailed
 */
export async function importHistory(target: HistoryTarget, path: string, onProgress: OnProgress): Promise<Summary> {
  const file = await openExport(path);
  // All of the file is proved before anything is written.
  for await (const _ of verifiedEvents(file.events(), path));
  const there = await target.head();
  if (there > file.head) throw notEmpty(`it holds ${there} events, the file ${file.head}`);
  await compare(target, file, there);
  await target.writeKeys(file.keys);
  let done: number = there;
  for await (const run of batchesByStream(behind(file.events(), there), () => MAX_PER_APPEND)) {
    await target.append(run);
    done += run.length;
    onProgress(done, file.head);
  }
  await verifyAll(target, file);
  return { events: file.head, keys: file.keys.keys.length, alreadyThere: there };
}

/** What is there must be the beginning of what is to come. */
async function compare(target: HistoryTarget, file: Exported, there: Position): Promise<void> {
  const difference = await firstDifference(eventsUpTo(file.events(), there), target.readAll(position(0)));
  if (difference !== undefined) throw notEmpty(`it differs from the file at position ${difference}`);
}

async function verifyAll(target: HistoryTarget, file: Exported): Promise<void> {
  const head = await target.head();
  const difference = await firstDifference(file.events(), verifiedEvents(target.readAll(position(0)), 'the new log'));
  if (difference !== undefined || head !== file.head) {
    throw new TransferFailed(
      `what was written differs from the file at position ${difference ?? file.head + 1}: somebody else writes to the ` +
        'store. Stop every node, empty it and import again.',
    );
  }
  if (isDeepStrictEqual(textsOf(await target.wrappedKeys()), textsOf(file.keys))) return;
  throw new TransferFailed('the keys of the vault are not those of the file. Take an empty store and import again.');
}

/** Comparable whatever kind of bytes they came as. */
const textsOf = ({ installation, keys }: WrappedKeys): readonly (string | undefined)[] => [
  installation && Buffer.from(installation).toString('hex'),
  ...keys.map(({ id, subject, wrapped }) => `${id} ${subject} ${Buffer.from(wrapped).toString('hex')}`).toSorted(),
];

async function firstDifference(
  wanted: AsyncIterable<StoredEvent>,
  found: AsyncIterable<StoredEvent>,
): Promise<number | undefined> {
  const others = found[Symbol.asyncIterator]();
  try {
    for await (const event of wanted) {
      const { value } = await others.next();
      if (!isDeepStrictEqual(value, event)) return event.position;
    }
    return undefined;
  } finally {
    await others.return?.();
  }
}

async function* behind(events: AsyncIterable<StoredEvent>, after: Position): AsyncGenerator<StoredEvent> {
  for await (const event of events) if (event.position > after) yield event;
}

async function* told(
  events: AsyncIterable<StoredEvent>,
  of: number,
  onProgress: OnProgress,
): AsyncGenerator<StoredEvent> {
  for await (const event of events) {
    yield event;
    onProgress(event.position, of);
  }
}

const notEmpty = (why: string) =>
  new TransferFailed(
    `the store is not empty, and what it holds is no part of this history: ${why}. Take an empty one.`,
  );
