import { createHash } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ArchivedEvents } from '../../archive/archivedEvents.ts';
import { idOfEntry } from '../../archive/archivedIds.ts';
import { archivePathOf } from '../../archive/archiveFile.ts';
import { type DayRow, readDayFile } from '../../archive/dayFile.ts';
import type { Segment } from '../../archive/segment.ts';
import { restoredStreamOf, SegmentUnreadable } from '../../archive/segmentStreams.ts';
import type { EventStoreClient } from '../client/client.ts';
import { readParts } from '../client/readParts.ts';

export interface RestoreFromStoreOptions {
  readonly database: DatabaseSync;
  /** The path of the mirror. */
  readonly path: string;
  /** Has its leaf entries. */
  readonly segment: Segment;
  readonly client: EventStoreClient;
}

const ROWS_PER_WRITE = 200;

/**
 * Puts the rows of a restored day back into a mirror, from the archive file that stands in a stream of the store, once all of it was
 * found to be the file that was sealed. Rows that are there already do no harm.
 * @throws SegmentUnreadable | ArchiveFileUnusable, what the client throws, and the errors of files
 */
export async function restoreFromStore({ database, path, segment, client }: RestoreFromStoreOptions): Promise<void> {
  const stream = restoredStreamOf(segment.seal);
  const temporary = `${path}.restored-${segment.number}.part`;
  const archived = ArchivedEvents.open(archivePathOf(path));
  try {
    await download(stream, temporary, segment, client);
    const entries = archived?.entriesOf(segment.number);
    let rows: DayRow[] = [];
    for (const row of readDayFile(temporary)) {
      const entry = entries?.next().value;
      if (entry?.position !== row.position || idOfEntry(entry.entry) !== row.id)
        throw new SegmentUnreadable(stream, `has another event at position ${row.position} than was archived`);
      rows.push(row);
      if (rows.length < ROWS_PER_WRITE) continue;
      insert(database, rows);
      rows = [];
      await nextTurn();
    }
    insert(database, rows);
  } finally {
    archived?.close();
    rmSync(temporary, { force: true });
  }
}

async function download(stream: string, to: string, { header }: Segment, client: EventStoreClient): Promise<void> {
  rmSync(to, { force: true });
  const file = openSync(to, 'wx', 0o600);
  const digest = createHash('sha256');
  try {
    for await (const part of readParts(stream, (read) => read(client))) {
      digest.update(part);
      for (let written = 0; written < part.length; ) written += writeSync(file, part, written);
    }
  } finally {
    closeSync(file);
  }
  if (digest.digest('hex') !== header.file.sha256)
    throw new SegmentUnreadable(stream, `does not have the file ${header.file.name}`);
}

/** The events have no place in `$all` any more, so that no reading resumes behind them. */
function insert(database: DatabaseSync, rows: readonly DayRow[]): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const has = database.prepare('SELECT 1 FROM events WHERE position = ?');
    const add = database.prepare(
      `INSERT INTO events (position, stream, revision, id, type, version, time, data, metadata, commitPosition,
       preparePosition) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
    );
    for (const { position, stream, revision, id, type, version, time, data, metadata } of rows)
      if (!has.get(position)) add.run(position, stream, revision, id, type, version, time, data, metadata);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
