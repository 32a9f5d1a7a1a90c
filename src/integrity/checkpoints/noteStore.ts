import { openDatabase } from '../../dataFolder/openDatabase.ts';
import type { NoteRecord, PublishedUpTo } from './noteRecord.ts';

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
const BUSY_TIMEOUT_MS = 5_000;
const COLUMNS = 'seq, kind, origin, size, root, note, public_key AS publicKey, signed_at AS signedAt';

/** How far a target is. */
export interface TargetProgress {
  readonly seq: number;
  readonly size: number;
  readonly publishedAt: number | null;
}

/** A checkpoint that another installation has published under an origin of this log. */
export interface Conflict {
  /** Where it was seen: a path, or the URL of a witness. */
  readonly source: string;
  readonly origin: string;
  readonly size: number;
}

/** The signed notes of a log in `checkpoints.sqlite`, with the cosignatures, and what each target has taken. */
export interface NoteStore {
  last(): NoteRecord | undefined;
  lastCheckpoint(): NoteRecord | undefined;
  /** The newest checkpoint of an origin with at most this size. */
  checkpointUpTo(origin: string, size: number): NoteRecord | undefined;
  /** Notes after this number, in order. */
  after(seq: number, limit: number): NoteRecord[];
  /** The first checkpoint of these origins that covers a position; each origin only up to a size. */
  firstCovering(position: number, isValid: (record: NoteRecord) => boolean): NoteRecord | undefined;
  checkpointsBetween(fromSeq: number, toSeq: number): NoteRecord[];
  keyChanges(): NoteRecord[];
  /** Public keys that have signed for the log. */
  keys(): string[];
  /** Returns when the note is durable. @throws the error of SQLite, also for a number that is taken */
  append(record: NoteRecord): void;
  /** The note with its cosignatures. */
  noteOf(record: NoteRecord): string;
  /** @param lines signature lines with newlines */
  cosign(seq: number, lines: readonly string[]): void;
  progressOf(target: string): TargetProgress | undefined;
  published(target: string, progress: TargetProgress): void;
  /** Takes over what other nodes know; never goes back. */
  mergePublished(published: PublishedUpTo): void;
  publishedUpTo(): PublishedUpTo;
  conflicts(): Conflict[];
  setConflict(conflict: Conflict): void;
  clearConflict(source: string): void;
  /** Removes notes that other nodes never had, and from the progress of targets. */
  forgetAfter(seq: number): void;
  clearConflicts(): void;
  /** The log goes on under another origin: an operator accepted a loss. */
  endOrigin(origin: string): void;
  hasEnded(origin: string): boolean;
  close(): void;
}

/**
 * Opens the file, and creates it when it is missing. Notes are synced before they are published; after a power cut at most the
 * progress of a target is lost, which is then sent again.
 * @throws Error when a newer svc created it, and the error of SQLite
 */
export function openNoteStore(path: string): NoteStore {
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
    throw error;
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
  /** What a power cut may take, because it is done again then. */
  const unsynced = (work: () => void): void => {
    database.exec('PRAGMA synchronous = NORMAL');
    try {
      work();
    } finally {
      database.exec('PRAGMA synchronous = FULL');
    }
  };
  return {
    last: () => last.get(),
    lastCheckpoint: () => lastCheckpoint.get(),
    checkpointUpTo: (origin, size) => upTo.get(origin, size),
    after: (seq, limit) => after.all(seq, limit),
    firstCovering: (position, isValid) => covering.all(position).find(isValid),
    checkpointsBetween: (from, to) => between.all(from, to),
    keyChanges: () => changes.all(),
    keys: () => keys.all().map((row) => row.public_key as string),
    append({ seq, kind, origin, size, root, note, publicKey, signedAt }) {
      insert.run(seq, kind, origin, size, root, note, publicKey, signedAt);
    },
    noteOf: ({ seq, note }) =>
      note +
      cosignatures
        .all(seq)
        .map((row) => row.line)
        .join(''),
    cosign: (seq, lines) =>
      unsynced(() => {
        for (const line of lines) cosign.run(seq, line);
      }),
    progressOf: (id) => progress.get(id) as unknown as TargetProgress | undefined,
    published: (id, { seq, size, publishedAt }) => unsynced(() => setProgress.run(id, seq, size, publishedAt)),
    mergePublished: (published) =>
      unsynced(() => {
        for (const [id, seq] of Object.entries(published)) merge.run(id, seq);
      }),
    publishedUpTo: () => Object.fromEntries(allProgress.all().map(({ id, seq }) => [id as string, seq as number])),
    conflicts: () => conflicts.all() as unknown as Conflict[],
    setConflict: ({ source, origin, size }) => void setConflict.run(source, origin, size),
    clearConflict: (source) => void clearConflict.run(source),
    forgetAfter(seq) {
      forget.run(seq);
      forgetProgress.run(seq);
    },
    clearConflicts: () => void clearConflicts.run(),
    endOrigin: (origin) => void end.run(origin),
    hasEnded: (origin) => ended.get(origin) !== undefined,
    close: () => database.close(),
  };
}
