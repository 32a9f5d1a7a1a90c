import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { inodeOf } from '../../dataFolder/folderLock.ts';
import type { NoteRecord, PublishedUpTo } from './noteRecord.ts';
import { BUSY_TIMEOUT_MS, openNoteTables } from './noteTables.ts';

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
  /** What became of the file. A few system calls. */
  state(): NoteFileState;
  /**
   * Writes a missing file again from the open one, and puts another that is in its place aside.
   * @returns whether there was one, which has the suffix `.replaced` now
   * @throws the error of SQLite or of the file system; it can be tried again
   */
  rewrite(): Promise<boolean>;
  /** Goes on with the file that is at the path now, or with an empty one. @throws the error of SQLite */
  reopen(): void;
  close(): void;
}

/** What became of the file of the notes while it is open. One that replaces a cut one has what the operator put there. */
export type NoteFileState = 'in place' | 'missing' | 'cut' | 'replaced';

/** Nothing is added to a file that lacks a part of its pages, or cannot be opened. */
export class NotesUnusable extends Error {
  override readonly name = 'NotesUnusable';
  constructor(path: string) {
    super(`${path} was cut or cannot be opened since svc runs`);
  }
}

/**
 * Opens the file, and creates it when it is missing. Notes are synced before they are published; after a power cut at most the
 * progress of a target is lost, which is then sent again.
 * @throws Error when a newer svc created it, and the error of SQLite
 */
export function openNoteStore(path: string): NoteStore {
  let tables = openNoteTables(path);
  let inode = inodeOf(path);
  let bytes = statSync(path).size;
  let isCut = false;
  /** Whether all notes are in the copy that a failed attempt to write the file again has left. */
  let isCopied = false;

  /** Reads find no notes then, instead of a part of them or an error. */
  function useNone(): void {
    if (tables.database.isOpen) tables.database.close();
    tables = openNoteTables(':memory:');
  }

  /** The file becomes smaller only by a VACUUM, which nothing runs. */
  function state(): NoteFileState {
    if (inodeOf(path) !== inode) return isCut ? 'replaced' : 'missing';
    const present = statSync(path, { throwIfNoEntry: false })?.size ?? bytes;
    if (!isCut && present < bytes) {
      isCut = true;
      useNone();
    }
    bytes = present;
    return isCut ? 'cut' : 'in place';
  }

  function open(): void {
    const opened = openNoteTables(path);
    tables.database.close();
    tables = opened;
    inode = inodeOf(path);
    bytes = statSync(path).size;
    isCut = false;
  }

  /**
   * All notes are in one file then: a write-ahead log may be cut or deleted, and a killed svc leaves it to the file that is at the
   * path then. Readers are not waited for; what they read stays in it until the next note.
   */
  function emptyJournal(): void {
    try {
      tables.database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk may be full. The note is durable in the write-ahead log.
    } finally {
      tables.database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** What a power cut may take, because it is done again then. */
  const unsynced = (work: () => void): void => {
    tables.database.exec('PRAGMA synchronous = NORMAL');
    try {
      work();
    } finally {
      tables.database.exec('PRAGMA synchronous = FULL');
    }
  };
  return {
    last: () => tables.last.get(),
    lastCheckpoint: () => tables.lastCheckpoint.get(),
    checkpointUpTo: (origin, size) => tables.upTo.get(origin, size),
    after: (seq, limit) => tables.after.all(seq, limit),
    firstCovering: (position, isValid) => tables.covering.all(position).find(isValid),
    checkpointsBetween: (from, to) => tables.between.all(from, to),
    keyChanges: () => tables.changes.all(),
    keys: () => tables.keys.all().map((row) => row.public_key as string),
    append({ seq, kind, origin, size, root, note, publicKey, signedAt }) {
      state();
      // Also while a file that replaces a cut one is not open yet.
      if (isCut || isCopied) throw new NotesUnusable(path);
      tables.insert.run(seq, kind, origin, size, root, note, publicKey, signedAt);
      emptyJournal();
    },
    noteOf: ({ seq, note }) =>
      note +
      tables.cosignatures
        .all(seq)
        .map((row) => row.line)
        .join(''),
    cosign: (seq, lines) =>
      unsynced(() => {
        for (const line of lines) tables.cosign.run(seq, line);
      }),
    progressOf: (id) => tables.progress.get(id) as unknown as TargetProgress | undefined,
    published: (id, { seq, size, publishedAt }) => unsynced(() => tables.setProgress.run(id, seq, size, publishedAt)),
    mergePublished: (published) =>
      unsynced(() => {
        for (const [id, seq] of Object.entries(published)) tables.merge.run(id, seq);
      }),
    publishedUpTo: () =>
      Object.fromEntries(tables.allProgress.all().map(({ id, seq }) => [id as string, seq as number])),
    conflicts: () => tables.conflicts.all() as unknown as Conflict[],
    setConflict: ({ source, origin, size }) => void tables.setConflict.run(source, origin, size),
    clearConflict: (source) => void tables.clearConflict.run(source),
    forgetAfter(seq) {
      tables.forget.run(seq);
      tables.forgetProgress.run(seq);
    },
    clearConflicts: () => void tables.clearConflicts.run(),
    endOrigin: (origin) => void tables.end.run(origin),
    hasEnded: (origin) => tables.ended.get(origin) !== undefined,
    state,
    async rewrite() {
      const fresh = `${path}.new`;
      if (!isCopied) {
        await copyTo(fresh, tables.database);
        useNone();
        isCopied = true;
      }
      const isReplaced = existsSync(path);
      if (isReplaced) renameSync(path, `${path}.replaced`);
      removeCompanions(path);
      renameSync(fresh, path);
      open();
      isCopied = false;
      return isReplaced;
    },
    reopen() {
      // Before the file is opened: closing the last connection removes what is beside the path.
      useNone();
      try {
        open();
      } catch (error) {
        inode = inodeOf(path);
        bytes = 0;
        throw error;
      }
    },
    close: () => tables.database.close(),
  };
}

/** Copies a database whose file may have no path any more. */
async function copyTo(path: string, database: DatabaseSync): Promise<void> {
  let changes: unknown;
  // What is written meanwhile may come after the last step of the copy.
  do {
    changes = changesOf(database);
    rmSync(path, { force: true });
    await backup(database, path);
  } while (changesOf(database) !== changes);
}

const changesOf = (database: DatabaseSync): unknown => database.prepare('SELECT total_changes() AS count').get()?.count;

/** A write-ahead log belongs to the file that it was written for. */
function removeCompanions(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}
