import { describeOpening, openDatabase } from '../../dataFolder/openDatabase.ts';
import type { NoteRecord } from './noteRecord.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS notes (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    origin TEXT NOT NULL,
    size INTEGER NOT NULL,
    root TEXT NOT NULL,
    note TEXT NOT NULL,
    public_key TEXT NOT NULL,
    signed_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS notes_by_size ON notes (size);
  CREATE INDEX IF NOT EXISTS key_changes ON notes (seq) WHERE kind = 'keyChange';
  CREATE TABLE IF NOT EXISTS cosignatures (
    seq INTEGER NOT NULL,
    line TEXT NOT NULL,
    PRIMARY KEY (seq, line)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS targets (
    id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    size INTEGER NOT NULL,
    published_at INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS conflicts (
    source TEXT PRIMARY KEY,
    origin TEXT NOT NULL,
    size INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS ended_origins (origin TEXT PRIMARY KEY) STRICT;
`;
const VERSION = 1;
export const BUSY_TIMEOUT_MS = 5_000;
const COLUMNS = 'seq, kind, origin, size, root, note, public_key AS publicKey, signed_at AS signedAt';

/**
 * Opens the tables of `checkpoints.sqlite`, and creates them when they are missing.
 * @throws Error when a newer svc created them, and the error of SQLite
 */
export function openNoteTables(path: string) {
  const database = openDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    const version = database.prepare('PRAGMA user_version').get()?.user_version as number;
    if (version > VERSION)
      throw new Error(`${path} was created by a newer svc (schema ${version}). Start that version.`);
    // One transaction, which writes only what is new: a start waits for its sync.
    const setVersion = version < VERSION ? `PRAGMA user_version = ${VERSION};` : '';
    database.exec(`BEGIN; ${SCHEMA} ${setVersion} COMMIT`);
  } catch (error) {
    database.close();
    throw describeOpening(error, path);
  }
  const notes = (where: string) => {
    const statement = database.prepare(`SELECT ${COLUMNS} FROM notes ${where}`);
    return {
      all: (...values: (string | number)[]) => statement.all(...values) as unknown as NoteRecord[],
      get: (...values: (string | number)[]) => statement.get(...values) as unknown as NoteRecord | undefined,
    };
  };
  const last = notes('ORDER BY seq DESC LIMIT 1');
  const lastCheckpoint = notes("WHERE kind = 'checkpoint' ORDER BY seq DESC LIMIT 1");
  const upTo = notes("WHERE kind = 'checkpoint' AND origin = ? AND size <= ? ORDER BY size DESC LIMIT 1");
  const after = notes('WHERE seq > ? ORDER BY seq LIMIT ?');
  const covering = notes("WHERE kind = 'checkpoint' AND size >= ? ORDER BY size, seq LIMIT 100");
  const between = notes("WHERE kind = 'checkpoint' AND seq BETWEEN ? AND ? ORDER BY seq");
  const changes = notes("WHERE kind = 'keyChange' ORDER BY seq");
  const keys = database.prepare('SELECT DISTINCT public_key FROM notes');
  const insert = database.prepare('INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const cosignatures = database.prepare('SELECT line FROM cosignatures WHERE seq = ? ORDER BY line');
  const cosign = database.prepare('INSERT OR IGNORE INTO cosignatures VALUES (?, ?)');
  const progress = database.prepare('SELECT seq, size, published_at AS publishedAt FROM targets WHERE id = ?');
  const allProgress = database.prepare('SELECT id, seq FROM targets');
  const setProgress = database.prepare('INSERT OR REPLACE INTO targets VALUES (?, ?, ?, ?)');
  const merge = database.prepare(
    `INSERT INTO targets VALUES (?1, ?2, (SELECT coalesce(max(size), 0) FROM notes WHERE seq = ?2), NULL)
     ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, size = excluded.size WHERE excluded.seq > seq`,
  );
  const conflicts = database.prepare('SELECT source, origin, size FROM conflicts ORDER BY source');
  const setConflict = database.prepare('INSERT OR REPLACE INTO conflicts VALUES (?, ?, ?)');
  const clearConflict = database.prepare('DELETE FROM conflicts WHERE source = ?');
  const clearConflicts = database.prepare('DELETE FROM conflicts');
  const forget = database.prepare('DELETE FROM notes WHERE seq > ?');
  const forgetProgress = database.prepare('UPDATE targets SET seq = min(seq, ?)');
  const end = database.prepare('INSERT OR IGNORE INTO ended_origins VALUES (?)');
  const ended = database.prepare('SELECT 1 FROM ended_origins WHERE origin = ?');
  return {
    database,
    last,
    lastCheckpoint,
    upTo,
    after,
    covering,
    between,
    changes,
    keys,
    insert,
    cosignatures,
    cosign,
    progress,
    allProgress,
    setProgress,
    merge,
    conflicts,
    setConflict,
    clearConflict,
    clearConflicts,
    forget,
    forgetProgress,
    end,
    ended,
  };
}
