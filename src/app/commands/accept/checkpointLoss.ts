import { existsSync, rmSync } from 'node:fs';
import type { DataFolder } from '../../../dataFolder/dataFolder.ts';
import type { Position } from '../../../domain/core/brands.ts';
import { LOSSES_STREAM } from '../../../domain/losses/events.ts';
import { openForReading } from '../../../eventLog/sqlite/database.ts';
import { EMPTY_LOG, type LogEnd, readLogEnd, readLogEndAt } from '../../../eventLog/sqlite/logEnd.ts';
import { LogLacksEvents } from '../../../eventLog/sqlite/logLoss.ts';
import { type NoteStore, openNoteStore } from '../../../integrity/checkpoints/noteStore.ts';
import { keysOfLog } from '../../../integrity/checkpoints/publishedHeads.ts';
import { MerkleTree } from '../../../integrity/merkle/merkleTree.ts';
import { type LogOrigin, logOrigin, parseOrigin } from '../../../integrity/published/logOrigin.ts';
import { PublishedFolder, type PublishedHead } from '../../../integrity/published/publishedFolder.ts';
import { LeafSource } from '../../../integrity/tree/leafSource.ts';
import type { Config } from '../../config/config.ts';
import { CHECKPOINT_FILES } from '../../wiring/checkpointFiles.ts';
import { isLossOfCheckpoints } from '../../wiring/checkpointLosses.ts';
import { checkpointSettings } from '../../wiring/checkpointSettings.ts';
import type { Store } from '../../wiring/store.ts';

/** What a command works with that looks at the checkpoints of a stopped log. */
export interface StoppedLog {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly store: Pick<Store, 'log' | 'logPath' | 'checkpoints' | 'vault'>;
}

/**
 * Finds a signed or published checkpoint of the log that the log does not begin with: an older copy of the data folder was
 * restored, or the log was changed. Reads the whole log if a checkpoint is smaller than the log. Of a copy that was in use beside the
 * original, only the events up to the last checkpoint that both have in common remain: those behind it are other ones.
 * @returns the first loss; undefined when the log agrees with all checkpoints
 */
export async function findCheckpointLoss(stopped: StoppedLog): Promise<LogLacksEvents | undefined> {
  const { store } = stopped;
  const origin = await originOf(stopped);
  if (!origin) return undefined;
  const signed = await signedHeads(stopped, origin);
  const database = openForReading(store.logPath);
  const found = readLogEnd(database);
  const published = (await publishedCheckpoints(stopped, origin)).filter(({ size }) => size <= found.position);
  const roots = rootsOf(
    store.logPath,
    [...signed, ...published].map(({ size }) => size),
  );
  const common = lastInCommon(published, roots);
  const remains = common === undefined ? found : (readLogEndAt(database, common as Position) ?? EMPTY_LOG);
  database.close();
  for (const { source, size, root } of signed.toSorted((left, right) => right.size - left.size)) {
    if (root !== undefined && roots.get(size) === root) continue;
    const known = { position: size as Position, hash: null, time: null, source };
    const lost = size > remains.position ? size - remains.position : undefined;
    const others = describeOthers(store.logPath, { source, size }, remains, found);
    return new LogLacksEvents(store.logPath, { known, found: remains, lost }, '', others);
  }
  return undefined;
}

/** @returns the size of the last checkpoint that has the log's root; undefined when none has another */
function lastInCommon(published: readonly PublishedHead[], roots: ReadonlyMap<number, string>): number | undefined {
  const isSame = ({ size, root }: PublishedHead) => roots.get(size) === root;
  return published.every(isSame) ? undefined : Math.max(0, ...published.filter(isSame).map(({ size }) => size));
}

/** @returns undefined when the log has no events in the place of others */
function describeOthers(
  logPath: string,
  { source, size }: Pick<PublishedHead, 'source' | 'size'>,
  remains: LogEnd,
  found: LogEnd,
): string | undefined {
  if (remains.position === found.position) return undefined;
  return (
    `${logPath} has the events of ${source}, of ${size} events, up to position ${remains.position} only: ` +
    `the ${size - remains.position} behind it are missing, and it has ${found.position - remains.position} others in their place.`
  );
}

/** The origin of the log as it is; undefined for an empty one. */
export async function originOf({
  store,
}: {
  readonly store: Pick<Store, 'log' | 'logPath'>;
}): Promise<LogOrigin | undefined> {
  let count = 0;
  let position = 0;
  for await (const event of store.log.readStream(LOSSES_STREAM)) {
    if (!isLossOfCheckpoints(event)) continue;
    count += 1;
    ({ position } = event);
  }
  const source = new LeafSource(store.logPath);
  try {
    const [first] = source.after(0, 1).entries;
    if (first === undefined) return undefined;
    if (count === 0) return logOrigin(Buffer.from(first));
    const [last = ''] = source.after(position - 1, 1).entries;
    return logOrigin(Buffer.from(first), { count, lastEntry: Buffer.from(last) });
  } finally {
    source.close();
  }
}

/** What was signed or published of a log, as far as this folder and the folder of checkpoints know. */
async function signedHeads({ config, folder, store }: StoppedLog, origin: LogOrigin): Promise<PublishedHead[]> {
  const { key, earlierKeys, places } = checkpointSettings(config, folder, store.vault);
  return await withNotes(folder, async (notes) => {
    const last = notes?.lastCheckpoint();
    const heads: PublishedHead[] = [];
    if (last && !notes?.hasEnded(last.origin) && !isBefore(last.origin, origin)) {
      // Of another origin, the log cannot begin with it.
      const root = last.origin === origin.origin ? last.root : undefined;
      heads.push({ source: CHECKPOINT_FILES.notes, origin: last.origin, size: last.size, root });
    }
    if (places.folder !== undefined && existsSync(places.folder)) {
      const keys = notes ? keysOfLog(notes, [key, ...earlierKeys]) : [];
      const head = await new PublishedFolder(places.folder).head(origin, keys);
      if (head) heads.push(head);
    }
    heads.push(...(notes?.conflicts() ?? []).filter((conflict) => conflict.origin === origin.origin));
    return heads;
  });
}

async function publishedCheckpoints(
  { config, folder, store }: StoppedLog,
  origin: LogOrigin,
): Promise<PublishedHead[]> {
  const { key, earlierKeys, places } = checkpointSettings(config, folder, store.vault);
  const { folder: path } = places;
  if (path === undefined || !existsSync(path)) return [];
  return await withNotes(folder, (notes) =>
    new PublishedFolder(path).all(origin, notes ? keysOfLog(notes, [key, ...earlierKeys]) : []),
  );
}

const isBefore = (before: string, { installation, number }: LogOrigin): boolean => {
  const parsed = parseOrigin(before);
  return parsed?.installation === installation && parsed.number < number;
};

/** Called after a loss was recorded: the checkpoints go on under the new origin. */
export async function endOrigin({ folder, store }: StoppedLog): Promise<void> {
  // It may name notes that are forgotten now.
  rmSync(folder.file(CHECKPOINT_FILES.mark), { force: true });
  await withNotes(folder, async (notes) => {
    if (notes) endLastOrigin(notes);
    const shared = await store.checkpoints?.count();
    if (shared !== undefined) notes?.forgetAfter(shared);
  });
}

/** The log goes on under another origin than that of its last checkpoint. */
export function endLastOrigin(notes: NoteStore): void {
  const last = notes.lastCheckpoint();
  if (last) notes.endOrigin(last.origin);
  notes.clearConflicts();
}

/** Opens the notes of a folder if it has any. */
export async function withNotes<Result>(
  folder: Pick<DataFolder, 'file'>,
  work: (notes: NoteStore | undefined) => Promise<Result>,
): Promise<Result> {
  const path = folder.file(CHECKPOINT_FILES.notes);
  const notes = existsSync(path) ? openNoteStore(path) : undefined;
  try {
    return await work(notes);
  } finally {
    notes?.close();
  }
}

const READ = 1_024;

/** The roots in hex of the log's trees of these sizes, as far as the log has so many events. */
export function rootsOf(logPath: string, sizes: readonly number[]): Map<number, string> {
  const roots = new Map<number, string>();
  const tree = new MerkleTree();
  const source = new LeafSource(logPath);
  try {
    for (const size of [...new Set(sizes)].sort((left, right) => left - right)) {
      while (tree.size < size) {
        const { entries } = source.after(tree.size, Math.min(READ, size - tree.size));
        if (entries.length === 0) return roots;
        for (const entry of entries) tree.append(entry);
      }
      roots.set(size, tree.root().toString('hex'));
    }
    return roots;
  } finally {
    source.close();
  }
}
