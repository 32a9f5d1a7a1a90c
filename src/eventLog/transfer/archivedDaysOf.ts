import { ArchivedEvents } from '../archive/archivedEvents.ts';
import { archivePathOf } from '../archive/archiveFile.ts';
import { sealsInLog } from '../sqlite/sealsInLog.ts';

/** The days of the segments that the log names, each once. */
export function archivedDaysOf(logPath: string): string[] {
  const seals = sealsInLog(logPath);
  const archived = seals.size > 0 ? ArchivedEvents.open(archivePathOf(logPath)) : undefined;
  try {
    const segments = archived?.segments().filter(({ number }) => seals.has(number)) ?? [];
    return [...new Set(segments.map(({ header }) => header.day))].toSorted();
  } finally {
    archived?.close();
  }
}
