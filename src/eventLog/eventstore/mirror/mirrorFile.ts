import { existsSync, rmSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { damagedFile, openDatabase as openNamedDatabase } from '../../../dataFolder/openDatabase.ts';
import { BREAKS_TABLE } from './mirrorBreaks.ts';
import { STREAM_RULES_TABLE } from './streamRules.ts';

/** A file of another version is replaced, because everything in it can be read from EventStoreDB again. */
const SCHEMA_VERSION = 2;
const UNUSABLE_VERSION = 1;
const BUSY_TIMEOUT_MS = 5_000;
const PAGE_BYTES = 8_192;

// The same code reads `events` here and in the embedded log. Ids are not unique, because the store may contain one twice.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    time INTEGER NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    commitPosition INTEGER NOT NULL,
    preparePosition INTEGER NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS events_id ON events (id);
  CREATE TABLE IF NOT EXISTS installation (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS vaultStreams (stream TEXT PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS progress (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    commitPosition INTEGER NOT NULL,
    preparePosition INTEGER NOT NULL,
    id TEXT NOT NULL
  ) STRICT;
  ${BREAKS_TABLE}
  ${STREAM_RULES_TABLE}
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Opens the mirror for its only writer. With `synchronous = NORMAL` a power cut may lose the last commits, which the store
 * still has. A file that is damaged or of another version is replaced by an empty one.
 * @param onReplaced called when that happens
 */
export function openMirrorFile(path: string, onReplaced: () => void = () => undefined): DatabaseSync {
  // SQLite takes an empty file for a new one.
  if (statSync(path, { throwIfNoEntry: false })?.size === 0 && !existsSync(`${path}-wal`)) onReplaced();
  try {
    return openDatabase(path);
  } catch (error) {
    if (!isUnusable(error)) throw error;
    onReplaced();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    return openDatabase(path);
  }
}

/** Lets the next opening replace the file: it lacks events. */
export const makeMirrorUnusable = (database: DatabaseSync): void =>
  database.exec(`PRAGMA user_version = ${UNUSABLE_VERSION}`);

class OtherVersion extends Error {}

function openDatabase(path: string): DatabaseSync {
  const database = openNamedDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA cache_size = -4096`);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version !== 0 && version !== SCHEMA_VERSION) throw new OtherVersion();
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const isUnusable = (error: unknown): boolean => error instanceof OtherVersion || damagedFile(error) !== undefined;
