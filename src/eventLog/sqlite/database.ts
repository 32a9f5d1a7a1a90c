import type { DatabaseSync } from 'node:sqlite';
import { remedyFor } from '../../dataFolder/fileErrors.ts';
import { namesFile, openDatabase, REMEDY_TO_OPEN } from '../../dataFolder/openDatabase.ts';

/** The log file cannot be used; the message says why and what to do. */
export class LogCannotStart extends Error {
  override readonly name = 'LogCannotStart';
  readonly code = 'LOG_CANNOT_START';
}

const SCHEMA_VERSION = 1;
const BUSY_TIMEOUT_MS = 5_000;
/** A page holds four to six events. Appending then costs a third less CPU than with 4 KiB. */
const PAGE_BYTES = 8_192;

// AUTOINCREMENT: positions of deleted events at the end are never reused.
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
  /** Maximum size of the file. Appends that need more are rejected. */
  readonly maxBytes?: number | undefined;
}

/**
 * Opens the file for its only writer. A commit returns once it is synced (docs/stores.md#sqlite-durability).
 * @throws LogCannotStart when the file cannot be opened, SQLite ignores a setting, or a newer svc created the file
 */
export function openForWriting({ path, maxBytes }: WritableOptions): DatabaseSync {
  const database = openFile(path);
  try {
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA cache_size = -16384`);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    verifySettings(database, path);
    refuseNewerSchema(database, path);
    database.exec(SCHEMA);
    makeDurable(database);
    if (maxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(maxBytes / PAGE_BYTES)}`);
    return database;
  } catch (error) {
    database.close();
    throw error instanceof LogCannotStart ? error : cannotOpen(path, error as Error);
  }
}

/**
 * Copies the write-ahead log into the file and syncs that. After a failed sync, Linux takes pages for written that are
 * not: an earlier process or thread may have left commits that are complete in memory only, and what is committed after
 * them would be lost together with them (docs/stores.md#sqlite-a-failed-sync). Readers do not delay it.
 */
const makeDurable = (database: DatabaseSync): void => database.exec('PRAGMA wal_checkpoint(PASSIVE)');

const IO_ERROR = 10;

/** Whether nothing may be committed before the file was opened again (docs/stores.md#sqlite-a-failed-sync). */
export const isIoError = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === IO_ERROR;

/** An event has 64 KiB at most; its indexes and the pages that it splits need some more. */
const PROBED_PAGES = 16;

/**
 * Makes empty changes durable, until they have taken the room of an event: where the disk is full, one page may still fit.
 * @throws the error of SQLite
 */
export function probeWrites(database: DatabaseSync): void {
  try {
    for (let page = 0; page < PROBED_PAGES; page += 1)
      database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function openFile(path: string): DatabaseSync {
  try {
    return openDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw cannotOpen(path, error as Error);
  }
}

const cannotOpen = (path: string, cause: Error) =>
  new LogCannotStart(
    namesFile(cause)
      ? cause.message
      : `${path} cannot be opened: ${cause.message}. ${remedyFor(cause, REMEDY_TO_OPEN)}`,
    { cause },
  );

/** Opens a read-only connection. The file must have been opened for writing before. */
export function openForReading(path: string): DatabaseSync {
  return openDatabase(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}

/** Reads the value of a pragma that is in effect. */
export function readPragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

// Some builds and file systems ignore these pragmas without an error. Commits would not be durable then.
const REQUIRED = { journal_mode: 'wal', synchronous: 2, busy_timeout: BUSY_TIMEOUT_MS };

function verifySettings(database: DatabaseSync, path: string): void {
  for (const [name, required] of Object.entries(REQUIRED)) {
    const actual = readPragma(database, name);
    if (actual !== required) {
      throw new LogCannotStart(`${path}: SQLite keeps ${name} = ${actual}, but the log needs ${required}`);
    }
  }
}

function refuseNewerSchema(database: DatabaseSync, path: string): void {
  const version = readPragma(database, 'user_version') as number;
  if (version > SCHEMA_VERSION) {
    throw new LogCannotStart(`${path} was created by a newer svc (schema ${version}). Start that version.`);
  }
}
