import { ArchivedEvents } from './archivedEvents.ts';

/**
 * Reads the archive of a log, through a connection for this call only: the file may appear at any time.
 * @param path of `archive.sqlite`
 * @returns undefined when nothing was ever archived
 * @throws ArchiveTooNew | ArchiveDamaged, or the error of SQLite
 */
export function withArchive<Result>(path: string, read: (archived: ArchivedEvents) => Result): Result | undefined {
  const archived = ArchivedEvents.open(path);
  try {
    return archived && read(archived);
  } finally {
    archived?.close();
  }
}
