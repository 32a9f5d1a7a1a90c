import type { DatabaseSync } from 'node:sqlite';
import { inodeOf } from '../../dataFolder/folderLock.ts';
import { guardJournal } from './journalGuard.ts';

/** What happened to a file that is made from the log, or to its write-ahead log, while it is open. */
export type FileHarm = 'deleted' | 'cut';

export interface FileGuard {
  /** A few system calls. */
  check(): FileHarm | undefined;
  close(): void;
}

/**
 * Guards a file that is made from the log, for the thread that has it open and alone writes it. SQLite notices neither that the file was
 * deleted or replaced, nor that pages are gone which it has in memory; it would go on until a restart.
 * A file that another program writes over in place, no shorter than before, is not noticed.
 */
export function guardFile(database: DatabaseSync, path: string): FileGuard {
  const journal = guardJournal(database, path);
  const inode = inodeOf(path);
  return {
    check() {
      if (inodeOf(path) !== inode) return 'deleted';
      if (!journal.checkPath()) return undefined;
      return journal.isCut ? 'cut' : 'deleted';
    },
    close: () => journal.close(),
  };
}
