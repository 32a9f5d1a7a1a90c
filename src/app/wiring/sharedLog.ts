import { existsSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { describeBreak } from '../../eventLog/continuity.ts';
import type { EventStore } from '../../eventLog/eventstore/eventStore.ts';
import { StoreLacksEvents } from '../../eventLog/eventstore/mirror/resumePoint.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { EMPTY_LOG, type LogEnd, readLogEnd } from '../../eventLog/sqlite/logEnd.ts';
import { findLogLoss, type KnownEnd, LogLacksEvents, type LogLoss } from '../../eventLog/sqlite/logLoss.ts';
import type { Print } from '../../lib/log/line.ts';
import { knownEnds, MARK_FILES, type OnLoss } from './knownLog.ts';

export interface SharedLogOptions {
  readonly folder: Pick<DataFolder, 'file'>;
  readonly print: Print;
  /** Opens the store and reads all of it into the mirror. */
  readonly open: () => Promise<EventStore>;
  readonly onLoss?: OnLoss | undefined;
}

const NAME = 'The history in EventStoreDB';
const REMEDY =
  'Restore EventStoreDB from a newer backup, or correct SVC_EVENTSTORE_URL. To go on without the missing events, run ' +
  '"svc accept-loss" on every node, which reads the log again and records the loss in it.';
/** A member of a cluster may be behind the one that was read before. */
const MAX_WAIT_MS = 2_000;
const INTERVAL_MS = 250;

/**
 * Opens EventStoreDB and compares what it has with what this node has read from it before: its mirror and its mark, and read
 * models in the folder.
 * @throws LogLacksEvents without `onLoss`, and what `open` throws
 */
export async function openSharedLog({ folder, print, open, onLoss }: SharedLogOptions): Promise<EventStore> {
  const path = folder.file('mirror.sqlite');
  const known = [...knownEnds(folder, 'mirror.sqlite', MARK_FILES.mirror, print), ...endOfMirror(path)];
  const opened = await openAndCompare(path, known, open);
  if ('store' in opened) return opened.store;
  if (!onLoss) throw opened.error;
  // Positions may mean other events now, so the whole log is read again.
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  const store = await open();
  const loss = findLogLoss(path, known);
  onLoss({ of: 'log', error: loss ? lacksEvents(loss) : opened.error });
  return store;
}

type Opened = { readonly store: EventStore } | { readonly error: LogLacksEvents };

async function openAndCompare(
  path: string,
  known: readonly KnownEnd[],
  open: () => Promise<EventStore>,
): Promise<Opened> {
  let store: EventStore;
  try {
    store = await open();
  } catch (error) {
    if (error instanceof StoreLacksEvents) return { error: lackedByStore(error, known) };
    throw error;
  }
  const error = await findLoss(store, path, known);
  if (!error) return { store };
  await store.close();
  return { error };
}

async function findLoss(
  store: EventStore,
  path: string,
  known: readonly KnownEnd[],
): Promise<LogLacksEvents | undefined> {
  let loss = findLogLoss(path, known);
  for (const deadline = performance.now() + MAX_WAIT_MS; loss && performance.now() < deadline; ) {
    await delay(INTERVAL_MS);
    await store.catchUp().catch(() => undefined);
    loss = findLogLoss(path, known);
  }
  if (loss) return lacksEvents(loss);
  const breaks = store.breaks();
  const [first] = breaks;
  if (!first) return undefined;
  const more = breaks.length > 1 ? ` So are ${breaks.length - 1} later positions.` : '';
  const end = endOfMirror(path)[0] ?? { ...EMPTY_LOG, source: '' };
  const broken: LogLoss = { known: end, found: end, lost: undefined };
  return new LogLacksEvents(NAME, broken, REMEDY, `${describeBreak(NAME, first)}${more} Events are missing.`);
}

/** The store does not have the last event that was read from it. */
function lackedByStore({ message, found }: StoreLacksEvents, known: readonly KnownEnd[]): LogLacksEvents {
  const [furthest] = known.toSorted((left, right) => right.position - left.position);
  const end = furthest ?? { ...EMPTY_LOG, source: 'mirror.sqlite' };
  const loss: LogLoss = { known: end, found, lost: Math.max(0, end.position - found.position) };
  return new LogLacksEvents(NAME, loss, `${message} ${REMEDY}`);
}

const lacksEvents = (loss: LogLoss): LogLacksEvents => new LogLacksEvents(NAME, loss, REMEDY);

/** The last event that was read; none where the mirror is missing or cannot be read. */
function endOfMirror(path: string): KnownEnd[] {
  if (!existsSync(path)) return [];
  try {
    const database = openForReading(path);
    try {
      const end: LogEnd = readLogEnd(database);
      return end.position > 0 ? [{ ...end, source: 'mirror.sqlite' }] : [];
    } finally {
      database.close();
    }
  } catch {
    return [];
  }
}
