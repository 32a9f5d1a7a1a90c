import { basename, join } from 'node:path';
import { ArchiveRestored } from '../domain/archive/events.ts';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import { ArchiveWriter } from '../eventLog/archive/archiveWriter.ts';
import { ArchiveFileUnusable, digestOfFile, readDayFile } from '../eventLog/archive/dayFile.ts';
import type { Segment } from '../eventLog/archive/segment.ts';
import type { PlacedRow } from '../eventLog/sqlite/archivedRows.ts';
import { sealsInLog } from '../eventLog/sqlite/sealsInLog.ts';
import { leafEntryOf, type StoredRow } from '../integrity/leaf/leafEntry.ts';
import { type ArchiveHost, appendArchiveEvent } from './archiveHost.ts';
import { CannotArchive } from './cannotArchive.ts';
import { appendAtRevision, archiveRevision, publishFile } from './sharedSegments.ts';

export interface RestoreOptions {
  readonly host: ArchiveHost;
  /** The folder of archive files. */
  readonly folder: string;
  /** A UTC day, all of whose segments are restored, or the path of an archive file. */
  readonly what: string;
  readonly onStep?: (step: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const ROWS_PER_WRITE = 500;
const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Puts the rows of an archived day back, once all of the file was found to be what was archived. May be killed at any moment and
 * run again.
 * @returns the segments that were restored
 * @throws CannotArchive | ArchiveFileUnusable | ArchiveDamaged, and the errors of files
 */
export async function restoreDay(options: RestoreOptions): Promise<Segment[]> {
  const { host, folder, what, onStep, signal } = options;
  const archived = ArchivedEvents.open(archivePathOf(host.logPath));
  try {
    const seals = sealsInLog(host.logPath);
    const segments =
      archived?.segments().filter(({ number, status }) => status === 'archived' && seals.has(number)) ?? [];
    const wanted = DAY.test(what)
      ? segments.filter(({ header }) => header.day === what)
      : await segmentOfFile(segments, what);
    if (!archived || wanted.length === 0)
      throw new CannotArchive('not_archived', `${what} is not archived, so there is nothing to restore.`);
    for (const segment of wanted) {
      const { number, header } = segment;
      const path = DAY.test(what) ? join(folder, header.file.name) : what;
      onStep?.(`Checking ${basename(path)}`);
      await requireFile(path, segment, archived);
      onStep?.(`Restoring ${header.events} events of ${header.day}`);
      const { day, events, file } = header;
      const restored = ArchiveRestored({ day, segment: number, events, file });
      if (host.shared) {
        const shared = { ...host, shared: host.shared };
        const revision = await archiveRevision(shared);
        await publishFile(shared, segment, path);
        signal?.throwIfAborted();
        // Every node puts its rows back before it has the event.
        await appendAtRevision(shared, restored, revision);
        continue;
      }
      withWriter(host, (writer) => writer.setRemoved(number, false));
      await restoreRows(options, path);
      await appendArchiveEvent(host, restored);
      withWriter(host, (writer) => writer.setStatus(number, 'restored'));
    }
    return wanted;
  } finally {
    archived?.close();
  }
}

async function segmentOfFile(segments: readonly Segment[], path: string): Promise<Segment[]> {
  const sha256 = await digestOfFile(path);
  return segments.filter(({ header }) => header.file.sha256 === sha256);
}

/** The file must have the digest that was sealed, and each row the leaf entry that the tree has. */
async function requireFile(path: string, { number, header }: Segment, archived: ArchivedEvents): Promise<void> {
  if ((await digestOfFile(path)) !== header.file.sha256)
    throw new ArchiveFileUnusable(
      `${path} is not the file that was archived: its SHA-256 differs. Use another copy of it.`,
    );
  const entries = archived.entriesOf(number);
  for await (const row of readDayFile(path)) {
    const { value } = entries.next();
    if (value?.entry !== leafEntryOf(row))
      throw new ArchiveFileUnusable(
        `The event at position ${row.position} in ${path} is not the one that was archived. Use another copy of it.`,
      );
  }
  if (!entries.next().done) throw new ArchiveFileUnusable(`${path} lacks events. Use another copy of it.`);
}

async function restoreRows({ host, signal }: RestoreOptions, path: string): Promise<void> {
  let rows: PlacedRow[] = [];
  for await (const row of readDayFile(path)) {
    rows.push(toPlaced(row));
    if (rows.length < ROWS_PER_WRITE) continue;
    signal?.throwIfAborted();
    await host.restoreRows?.(rows);
    rows = [];
  }
  if (rows.length > 0) await host.restoreRows?.(rows);
}

const toPlaced = ({ position, stream, revision, id, type, version, time, data, metadata }: StoredRow): PlacedRow => [
  position,
  stream,
  revision,
  id,
  type,
  version,
  time,
  data,
  metadata,
];

function withWriter({ logPath }: ArchiveHost, work: (writer: ArchiveWriter) => void): void {
  const writer = new ArchiveWriter(archivePathOf(logPath));
  try {
    work(writer);
  } finally {
    writer.close();
  }
}
