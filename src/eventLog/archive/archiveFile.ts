import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, pathIn } from '../../dataFolder/openDatabase.ts';
import { reopenUntouched } from '../../dataFolder/untouchedFile.ts';
import { REQUEST_ID_TABLES } from './archivedRequestIds.ts';

/** The archive was made by a newer svc; the message says what to do. */
export class ArchiveTooNew extends Error {
  override readonly name = 'ArchiveTooNew';
}

const LAYOUT = 1;
const BUSY_TIMEOUT_MS = 5_000;

// `entries` has the leaf entries of a block of positions, one per line, compressed. A segment is `sealed` until the log says that
// it is archived, and `restored` once its rows are back (docs/decisions/0072-sealed-segments.md).
const TABLES = `
  CREATE TABLE segments (
    number INTEGER PRIMARY KEY,
    day TEXT NOT NULL,
    upTo INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('sealed', 'archived', 'restored')),
    isRemoved INTEGER NOT NULL DEFAULT 0,
    header TEXT NOT NULL,
    seal TEXT NOT NULL,
    edge BLOB NOT NULL,
    state BLOB NOT NULL,
    rollUps BLOB NOT NULL
  ) STRICT;
  CREATE TABLE entries (
    block INTEGER NOT NULL, segment INTEGER NOT NULL, lines BLOB NOT NULL, PRIMARY KEY (block, segment)
  ) STRICT;
  CREATE TABLE ranges (first INTEGER NOT NULL, segment INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (first, segment))
    STRICT, WITHOUT ROWID;
  CREATE TABLE heads (
    stream TEXT NOT NULL, segment INTEGER NOT NULL, revision INTEGER NOT NULL, hash TEXT, PRIMARY KEY (stream, segment)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${LAYOUT};
`;

/** Positions whose leaf entries are compressed together. */
export const BLOCK_POSITIONS = 1_024;

/** The file of the archive of a log: beside it. */
export const archivePathOf = (logPath: string): string => join(dirname(logPath), 'archive.sqlite');

/** Opens the file for writing, and creates it. A commit returns once it is synced. @throws ArchiveTooNew, or the error of SQLite */
export function openArchiveForWriting(path: string): DatabaseSync {
  const database = openDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (layoutOf(database, path) === 0) database.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT`);
    database.exec(REQUEST_ID_TABLES);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The archive was written to while a command read it without locks; the message says what to do. */
export class ArchiveChanged extends Error {
  override readonly name = 'ArchiveChanged';
}

/** The archive, opened for reading. */
export interface ReadableArchive {
  readonly database: DatabaseSync;
  /** Another number once another connection has written to the file; also at other times, where no connection keeps its index. */
  version(): number;
  /** Whether it is read without locks, and another process has written to the file since it was opened. */
  isStale(): boolean;
  /** @throws ArchiveChanged when what was read may be inconsistent */
  close(): void;
}

/**
 * Opens the file for reading.
 * @param location a path, or the URI from `untouchedFile`: nothing in its folder is changed then, whether a service uses the file or not
 * @returns undefined when there is none
 * @throws ArchiveTooNew, or the error of SQLite
 */
export function openArchiveForReading(location: string): ReadableArchive | undefined {
  const path = pathIn(location);
  if (!existsSync(path)) return undefined;
  if (path === location) {
    const database = openMade(path);
    return (
      database && {
        database,
        version: () => versionOf(database),
        isStale: () => false,
        close: () => database.close(),
      }
    );
  }
  const { database, hasChanged } = reopenUntouched(location, openMade);
  const close = () => {
    database?.close();
    if (hasChanged()) throw new ArchiveChanged(`A service has written to ${path} meanwhile. Run it again.`);
  };
  return database && { database, version: () => versionOf(database), isStale: hasChanged, close };
}

const versionOf = (database: DatabaseSync): number =>
  database.prepare('PRAGMA data_version').get()?.data_version as number;

/** @returns undefined when another process creates it */
function openMade(location: string): DatabaseSync | undefined {
  const database = openDatabase(location, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    if (layoutOf(database, location) > 0) return database;
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
}

function layoutOf(database: DatabaseSync, path: string): number {
  const layout = database.prepare('PRAGMA user_version').get()?.user_version as number;
  if (layout > LAYOUT)
    throw new ArchiveTooNew(`${pathIn(path)} was created by a newer svc (layout ${layout}). Start that version.`);
  return layout;
}
