import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type DataFolder, openDataFolder } from '../../../dataFolder/dataFolder.ts';
import { MarkFile } from '../../../dataFolder/markFile.ts';
import { type Instant, instant } from '../../../domain/core/brands.ts';
import { LossAccepted } from '../../../domain/losses/events.ts';
import { ArchivedEvents } from '../../../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../../../eventLog/archive/archiveFile.ts';
import { describeBreak } from '../../../eventLog/continuity.ts';
import { openForReading } from '../../../eventLog/sqlite/database.ts';
import { readLogEnd } from '../../../eventLog/sqlite/logEnd.ts';
import { findLogLoss, LogLacksEvents } from '../../../eventLog/sqlite/logLoss.ts';
import { HashVerifier } from '../../../eventLog/verification/hashVerifier.ts';
import { removeTreeFile, TREE_FILE } from '../../../integrity/tree/treeFile.ts';
import { Faults } from '../../../lib/faults.ts';
import { readReadModelEnd, removeReadModelFile } from '../../../readModels/sqlite/readModelFile.ts';
import { newestSnapshotName } from '../../../state/snapshots/snapshotFolder.ts';
import type { Config } from '../../config/config.ts';
import { type FoundLoss, MARK_FILES } from '../../wiring/knownLog.ts';
import { openStore } from '../../wiring/openStore.ts';
import type { Store } from '../../wiring/store.ts';
import { appendLoss } from './appendLoss.ts';
import { endOrigin, findCheckpointLoss } from './checkpointLoss.ts';

/**
 * Accepts that the log or the outbox of a data folder lacks events: records in the log what is missing, and lets the next
 * start begin from what is there. No other process may have the folder open.
 * @param print prints lines for the operator
 * @returns the number of losses that were accepted; 0 when nothing is missing
 * @throws CannotAcceptLoss | DataFolderInUse, and what opening the store throws
 */
export async function acceptLoss(
  config: Config,
  { print }: { readonly print: (line: string) => void },
): Promise<number> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(openDataFolder(resolve(config.SVC_DATA_DIR), { nodeId: config.SVC_NODE_ID }), (locked) =>
    locked.close(),
  );
  const found: FoundLoss[] = [];
  const io = { print, report: (error: unknown) => print(String(error)), faults: new Faults({ print, now: Date.now }) };
  const store = await openStore(config, folder, io, (loss) => found.push(loss));
  try {
    if (!hasLostLog(found)) found.push(...findSnapshotLoss(folder, store));
    if (!hasLostLog(found)) found.push(...findBreaks(store));
    const stopped = { config, folder, store };
    const ofCheckpoints = hasLostLog(found) ? undefined : await findCheckpointLoss(stopped);
    if (ofCheckpoints) found.push({ of: 'log', error: ofCheckpoints });
    for (const loss of found) await record(store, loss, instant(Date.now()));
    if (hasLostLog(found)) await endOrigin(stopped);
  } finally {
    await store.outbox?.close();
    await store.close();
  }
  for (const { error } of found) print(`Accepted: ${error.description}`);
  if (found.length > 0) {
    if (hasLostLog(found)) removeDerived(folder, print);
    rmSync(folder.file('snapshots'), { recursive: true, force: true });
    resetMarks(folder, store);
  }
  return found.length;
}

const hasLostLog = (found: readonly FoundLoss[]): boolean => found.some(({ of }) => of === 'log');

/** Events that are missing between others. Reads the whole log, at some 100,000 events per second. */
function findBreaks({ name, logPath }: Store): FoundLoss[] {
  // Those of a shared history were found while it was read.
  if (name !== 'embedded') return [];
  const database = openForReading(logPath);
  const archived = ArchivedEvents.open(archivePathOf(logPath));
  try {
    const verifier = new HashVerifier(database, 0, undefined, archived);
    const end = { ...readLogEnd(database), source: '' };
    for (let breaks = verifier.step(); breaks; breaks = verifier.step()) {
      const first = breaks.find(({ isAltered }) => !isAltered);
      if (!first) continue;
      const loss = { known: end, found: end, lost: undefined };
      return [{ of: 'log', error: new LogLacksEvents(logPath, loss, '', describeBreak(logPath, first)) }];
    }
    return [];
  } finally {
    archived?.close();
    database.close();
  }
}

/** A snapshot is made from the log and never ahead of it. */
function findSnapshotLoss(folder: DataFolder, { logPath }: Store): FoundLoss[] {
  const newest = newestSnapshotName(folder.file('snapshots'));
  if (!newest) return [];
  const known = { position: newest.position, hash: null, time: null, source: `snapshots/${newest.name}` };
  const loss = findLogLoss(logPath, [known]);
  return loss ? [{ of: 'log', error: new LogLacksEvents(logPath, loss, '') }] : [];
}

async function record({ log }: Store, { of, error: { loss } }: FoundLoss, time: Instant): Promise<void> {
  const { known, found, lost } = loss;
  await appendLoss(log, {
    ...LossAccepted({
      of,
      known: { position: known.position, hash: known.hash, time: known.time },
      found: { position: found.position, hash: found.hash, time: found.time },
      lost: lost ?? null,
    }),
    time,
    actorCommand: 'accept-loss',
    correlationId: randomUUID(),
  });
}

/** Read models and the tree have events that no longer exist, at the end of the log or in the middle. */
function removeDerived(folder: DataFolder, print: (line: string) => void): void {
  const readModels = readReadModelEnd(folder.file('readmodels.sqlite'));
  removeReadModelFile(folder.file('readmodels.sqlite'));
  removeTreeFile(folder.file(TREE_FILE));
  if (!readModels) return;
  print(
    `The read models had reached position ${readModels.position}. They are removed; the next start rebuilds them from the log.`,
  );
}

/** From here on the log is known to reach what it has now. */
function resetMarks(folder: DataFolder, { name, logPath }: Store): void {
  const database = openForReading(logPath);
  const end = readLogEnd(database);
  database.close();
  const mark = new MarkFile(folder.file(name === 'embedded' ? MARK_FILES.log : MARK_FILES.mirror));
  mark.noteNow(end);
  mark.close();
  for (const name of [MARK_FILES.outbox, MARK_FILES.verified]) rmSync(folder.file(name), { force: true });
}
