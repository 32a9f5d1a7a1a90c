import { join } from 'node:path';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { withArchive } from '../../eventLog/archive/withArchive.ts';
import { removeRows } from '../../eventLog/sqlite/archivedRows.ts';
import { openForWriting } from '../../eventLog/sqlite/database.ts';

/** Removes the events of days that were archived after the first of several backups was made: it has them. */
export function removeArchivedRows(folder: string): void {
  const path = join(folder, 'log.sqlite');
  withArchive(archivePathOf(path), (archived) => {
    const removed = archived.segments().filter(({ status, isRemoved }) => status === 'archived' && isRemoved);
    if (removed.length === 0) return;
    const database = openForWriting({ path });
    try {
      for (const { number } of removed) removeRows(database, [...archived.rangesOf(number)]);
    } finally {
      database.close();
    }
  });
}
