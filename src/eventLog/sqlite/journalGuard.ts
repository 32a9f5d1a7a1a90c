import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { inodeOf } from '../../dataFolder/folderLock.ts';
import { readPragma } from './database.ts';

/** Why nothing may be written to a log, and what an operator can do about it. */
export interface JournalFault {
  readonly reason: string;
  readonly remedy: string;
}

/** Watches a database and its write-ahead log for its only writer. */
export interface JournalGuard {
  /** Whether pages are gone, or frames that the database does not have. Nothing may be copied into the database then. */
  readonly isCut: boolean;
  /** Called before each transaction, so it costs two system calls. */
  check(): JournalFault | undefined;
  /** Also compares the path, and brings what a file without a path has into the database. */
  checkPath(): JournalFault | undefined;
  /** From then on the checks find nothing: the number of a closed file may be that of another one. */
  close(): void;
}

/** Sizes of SQLite's file format (sqlite.org/fileformat2.html#the_write_ahead_log). */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Guards the write-ahead log of a database that the calling thread writes. SQLite keeps the number of frames in memory: after
 * the file was cut it goes on behind the gap, a kill loses all of that, and a checkpoint copies the gap into the database. So
 * nothing may be written to a file that was cut, and not for long to one that was deleted or moved. A database that was cut grows
 * again with the next checkpoint, so it is looked at as often
 * (docs/decisions/0125-write-ahead-log-lost-while-running.md).
 * @param path of the database, which has been written since it was opened
 */
export function guardJournal(database: DatabaseSync, path: string): JournalGuard {
  const journal = `${path}-wal`;
  const file = openSync(journal, 'r');
  const inode = inodeOf(journal);
  const frameBytes = FRAME_HEADER_BYTES + (readPragma(database, 'page_size') as number);
  let size = fstatSync(file).size;
  let databaseSize = sizeOf(path);
  let cutFile: string | undefined;
  let isMissing = false;
  let isClosed = false;

  /**
   * A checkpoint that truncates makes the write-ahead log smaller without a loss: it leaves no frames. A database becomes smaller
   * only by a VACUUM, which svc does while it is stopped. One without a path is not cut.
   */
  function compareSizes(): void {
    const [present, databasePresent] = [fstatSync(file).size, sizeOf(path)];
    if (present < size && present < bytesInUse()) cutFile = journal;
    if (databasePresent !== undefined && databasePresent < (databaseSize ?? 0)) cutFile = path;
    size = present;
    databaseSize = databasePresent ?? databaseSize;
  }

  function bytesInUse(): number {
    const { log } = checkpoint('NOOP');
    return log > 0 ? HEADER_BYTES + log * frameBytes : 0;
  }

  const checkpoint = (mode: 'NOOP' | 'PASSIVE') =>
    database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as { readonly log: number; readonly checkpointed: number };

  function isInDatabase(): boolean {
    const { log, checkpointed } = checkpoint('PASSIVE');
    return log === checkpointed;
  }

  function check(): JournalFault | undefined {
    if (isClosed) return undefined;
    if (cutFile === undefined) compareSizes();
    if (cutFile !== undefined) return cutFile === path ? cutDatabase(path) : cutJournal(journal);
    return isMissing ? missing(journal, isInDatabase()) : undefined;
  }

  return {
    get isCut() {
      return cutFile !== undefined;
    },
    check,
    checkPath() {
      if (!isClosed) isMissing = inodeOf(journal) !== inode;
      return check();
    },
    close() {
      if (!isClosed) closeSync(file);
      isClosed = true;
    },
  };
}

/** By path: closing a file releases the locks of the process on it. */
const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

const cutDatabase = (path: string): JournalFault => ({
  reason: `${path} was cut while svc runs, so events that it had are lost`,
  remedy: 'Stop svc and restore the data folder from a backup.',
});

const cutJournal = (journal: string): JournalFault => ({
  reason: `${journal} was cut while svc runs, so events that it had are lost`,
  remedy:
    'Stop svc and start it again: it says what is missing. Then restore the data folder from a backup, or run "svc accept-loss".',
});

const missing = (journal: string, isInDatabase: boolean): JournalFault => ({
  reason: `${journal} was deleted, moved or replaced while svc runs`,
  remedy: isInDatabase
    ? 'Put the file back if it was moved, or restart svc. Nothing is lost: the database beside it has all events.'
    : 'Put the file back if it was moved. Otherwise stop svc with SIGTERM, which writes its content into the database beside it, and start it again.',
});
