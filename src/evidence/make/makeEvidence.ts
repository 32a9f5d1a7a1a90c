import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untouchedFile } from '../../dataFolder/untouchedFile.ts';
import { ArchivedEvents, describeArchivedRequest } from '../../eventLog/archive/archivedEvents.ts';
import { ArchiveChanged, archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { FollowedArchive } from '../../eventLog/archive/followedArchive.ts';
import { CannotWriteFile } from '../../eventLog/newFile.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { TREE_FILE } from '../../integrity/tree/treeFile.ts';
import type { WriterOptions } from './bundleWriter.ts';
import { type ArchivedDay, CannotMakeEvidence, type MadeBundle, makeBundle } from './makeBundle.ts';
import { openTree } from './openTree.ts';
import { readSignedNotes } from './readSignedNotes.ts';
import { requestPositions } from './requestPositions.ts';
import { SelectedRows } from './selectedRows.ts';
import { describeSelection, type EventSelection } from './selection.ts';
import { stateBefore } from './stateBefore.ts';

export interface EvidenceOptions extends WriterOptions {
  /** The data folder: a service may be running over it. */
  readonly folder: string;
  /** `log.sqlite`, or `mirror.sqlite` of a node with EventStoreDB. */
  readonly logName: string;
  readonly selection: EventSelection;
  /** What the manifest says of it; default: the selection. */
  readonly statedSelection?: EventSelection | undefined;
  /** The file, which must not exist. */
  readonly path: string;
  readonly madeBy: string;
  /** RFC 3339. */
  readonly madeAt: string;
  /** Called with the position up to which events were examined, and the last one. */
  readonly onProgress?: ((position: number, of: number) => void) | undefined;
  readonly onStep?: ((step: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes an evidence bundle from a data folder. Writes nothing into the folder, takes no lock and needs no key.
 * @throws CannotMakeEvidence, CannotWriteFile, and what opening a file throws
 */
export async function makeEvidence(options: EvidenceOptions): Promise<MadeBundle> {
  const { folder, logName, path } = options;
  // Before the work, so that an operator does not wait for it.
  if (existsSync(path)) throw new CannotWriteFile(`${path} already exists. Name another file.`);
  const [logPath, notesPath] = [join(folder, logName), join(folder, 'checkpoints.sqlite')];
  if (!existsSync(logPath)) {
    throw new CannotMakeEvidence(`There is no log in ${folder}: set SVC_DATA_DIR to the data folder.`);
  }
  const temporary = mkdtempSync(join(tmpdir(), 'svc-evidence-'));
  try {
    const notes = existsSync(notesPath) ? readSignedNotes(untouchedFile(notesPath, temporary).location) : undefined;
    if (!notes) {
      throw new CannotMakeEvidence(
        'No checkpoint of this log was signed yet, so nothing can be proved. Start svc: it signs one within a minute.',
      );
    }
    return await makeWith(options, notes, logPath, temporary);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function makeWith(
  options: EvidenceOptions,
  notes: NonNullable<ReturnType<typeof readSignedNotes>>,
  logPath: string,
  temporary: string,
): Promise<MadeBundle> {
  const { folder, selection, statedSelection = selection, onProgress, onStep = () => {}, signal } = options;
  const log = openForReading(untouchedFile(logPath, temporary).location);
  const archivePath = archivePathOf(logPath);
  const archived = existsSync(archivePath)
    ? ArchivedEvents.open(untouchedFile(archivePath, temporary).location)
    : undefined;
  try {
    const { size, root } = notes.latest;
    const treePath = join(folder, TREE_FILE);
    const opened = await openTree({ path: treePath, log, archived, size, root, temporary, onStep, signal });
    try {
      onStep('Looking for the events');
      const { requests } = selection;
      requireNotArchived(archived, requests ?? []);
      const found = requests && requestPositions(join(folder, READ_MODELS), log, requests, temporary);
      const rows = new SelectedRows(log, selection, found);
      const period = rows.period();
      return await makeBundle({
        ...options,
        selection: describeSelection(statedSelection),
        stateBefore: await stateBefore(selection, period, { logPath, archivePath, temporary, onStep }),
        rows: rows.read(period, (position) => onProgress?.(position, period.last)),
        notes,
        tree: opened.tree,
        archived: archivedMeanwhile(archivedDays(archived, selection), () =>
          archivedNow(archivePath, temporary, selection),
        ),
        onProgress: undefined,
      });
    } finally {
      opened.close();
    }
  } finally {
    closeArchive(archived);
    log.close();
  }
}

/** What was read of it is proved by the root of the tree, also where days were archived meanwhile. */
function closeArchive(archived: ArchivedEvents | undefined): void {
  try {
    archived?.close();
  } catch (error) {
    if (!(error instanceof ArchiveChanged)) throw error;
  }
}

const READ_MODELS = 'readmodels.sqlite';
const DAY_MS = 86_400_000;

/** @throws CannotMakeEvidence for a request whose event has no row: what it says cannot be proved without that */
function requireNotArchived(archived: ArchivedEvents | undefined, requests: readonly string[]): void {
  for (const requestId of requests) {
    const found = archived?.findRequest(requestId);
    if (found) throw new CannotMakeEvidence(describeArchivedRequest(requestId, found));
  }
}

/** Days that were archived before or after the rows were read: of those that were archived or restored meanwhile, some may be missing. */
const archivedMeanwhile = (before: readonly ArchivedDay[], now: () => readonly ArchivedDay[]) => () => {
  const days = new Map([...before, ...now()].map((day) => [day.file, day]));
  return [...days.values()].toSorted((left, right) => left.day.localeCompare(right.day));
};

function archivedNow(archivePath: string, temporary: string, selection: EventSelection): ArchivedDay[] {
  const archive = new FollowedArchive(untouchedFile(archivePath, temporary).location);
  try {
    return archive.read((archived) => archivedDays(archived, selection));
  } finally {
    archive.close();
  }
}

/** The archived days of a selection, whose events cannot be in a bundle until they are brought back. */
function archivedDays(archived: ArchivedEvents | undefined, { since, until }: EventSelection): ArchivedDay[] {
  const headers = (archived?.segments() ?? []).flatMap(({ status, header }) => (status === 'archived' ? [header] : []));
  return headers
    .filter(({ day }) => (since ?? 0) < Date.parse(day) + DAY_MS && (until ?? Number.MAX_VALUE) >= Date.parse(day))
    .map(({ day, events, file }) => ({ day, events, file: file.name }));
}
