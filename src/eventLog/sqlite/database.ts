import { DatabaseSync } from 'node:sqlite';
import { remedyFor } from '../../dataFolder/fileErrors.ts';

/** The file cannot serve as a log, or is not ours. */
export class LogCannotStart extends Error {
  override readonly name = 'LogCannotStart';
  readonly code = 'LOG_CANNOT_START';
}

const SCHEMA_VERSION = 1;
const BUSY_TIMEOUT_MS = 5_000;
/** Four to six events: appending in order then costs a third less CPU than with 4 KiB. */
const PAGE_BYTES = 8_192;

// AUTOINCREMENT: the position of a deleted tail is never given twice.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    time INTEGER NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

export interface WritableOptions {
  readonly path: string;
  /** The file may not grow beyond this; appends that need more are rejected until it is raised. */
  readonly maxBytes?: number | undefined;
}

/**
 * Opens the file for its one writer, every commit synced before it is answered.
 * @throws LogCannotStart when the file cannot be opened, SQLite did not take a setting, or a newer svc made the file
 */
export function openForWriting({ path, maxBytes }: WritableOptions): DatabaseSync {
  const database = opened(path);
  try {
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA cache_size = -16384`);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    refuseOtherSettings(database, path);
    refuseNewerSchema(database, path);
    database.exec(SCHEMA);
    if (maxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(maxBytes / PAGE_BYTES)}`);
    return database;
  } catch (error) {
    database.close();
    throw error instanceof LogCannotStart ? error : cannotOpen(path, error as Error);
  }
}

function opened(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw cannotOpen(path, error as Error);
  }
}

const cannotOpen = (path: string, cause: Error) =>
  new LogCannotStart(
    `${path} cannot be opened: ${cause.message}. ${remedyFor(cause, 'Does it belong to the user that runs svc?')}`,
    { cause },
  );

/** A second connection that only reads; the file must have been opened for writing before. */
export function openForReading(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}

/** What SQLite says a setting is, whatever it was told. */
export function setting(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

// Some builds and file systems ignore these pragmas without an error, and then a commit is not durable.
const REQUIRED = { journal_mode: 'wal', synchronous: 2, busy_timeout: BUSY_TIMEOUT_MS };

function refuseOtherSettings(database: DatabaseSync, path: string): void {
  for (const [name, wanted] of Object.entries(REQUIRED)) {
    const actual = setting(database, name);
    if (actual !== wanted) {
      throw new LogCannotStart(`${path}: SQLite keeps ${name} = ${actual}, the log needs ${wanted}`);
    }
  }
}

function refuseNewerSchema(database: DatabaseSync, path: string): void {
  const version = setting(database, 'user_version') as number;
  if (version > SCHEMA_VERSION) {
    throw new LogCannotStart(`${path} was made by a newer svc (schema ${version}). Start that version.`);
  }
}
