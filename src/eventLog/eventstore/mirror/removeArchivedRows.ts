import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { ArchivedEvents } from '../../archive/archivedEvents.ts';
import { idOfEntry } from '../../archive/archivedIds.ts';
import { ArchiveWriter } from '../../archive/archiveWriter.ts';
import type { PositionRange } from '../../archive/segment.ts';
import { withArchive } from '../../archive/withArchive.ts';

export interface RemoveArchivedRowsOptions {
  readonly database: DatabaseSync;
  readonly archivePath: string;
  /** Whether rows of a segment stay for now. */
  readonly isLeft: (number: number) => boolean;
  readonly signal: AbortSignal;
}

/** Rows that are removed in one transaction, some ten milliseconds of work. */
const MAX_ROWS = 500;
/** Between two transactions the thread handles new events. */
const PAUSE_MS = 10;

/**
 * Removes the rows of archived segments from a mirror, each once it was found to be the event of its leaf entry. The segments whose
 * event the mirror has not reached stay. May be ended at any moment: the next call continues.
 * @throws the error of SQLite
 * @returns why rows stay; undefined when all are removed
 */
export async function removeArchivedRows(options: RemoveArchivedRowsOptions): Promise<string | undefined> {
  const { archivePath, isLeft, signal } = options;
  for (const number of pendingSegments(options)) {
    let after = 0;
    while (!signal.aborted && !isLeft(number)) {
      const step = withArchive(archivePath, (archived) => removeSome(options.database, archived, number, after));
      if (step === undefined || typeof step === 'string') return step;
      after = step.upTo;
      if (step.isLast) {
        setRemoved(archivePath, number);
        break;
      }
      await delay(PAUSE_MS, undefined, { ref: false });
    }
  }
  return undefined;
}

function pendingSegments({ database, archivePath }: RemoveArchivedRowsOptions): number[] {
  const named = database.prepare(
    `SELECT 1 FROM events WHERE stream = 'archives-main' AND type = 'DayArchived' AND data ->> '$.seal' = ?`,
  );
  const segments = withArchive(archivePath, (archived) => archived.segments()) ?? [];
  return segments
    .filter(({ status, isRemoved, seal }) => status === 'archived' && !isRemoved && named.get(seal) !== undefined)
    .map(({ number }) => number);
}

/** @returns how far the rows are removed, or why they stay */
function removeSome(
  database: DatabaseSync,
  archived: ArchivedEvents,
  number: number,
  after: number,
): { readonly upTo: number; readonly isLast: boolean } | string {
  if (archived.segments().find((segment) => segment.number === number)?.status !== 'archived')
    return { upTo: after, isLast: true };
  const ranges = someRanges(archived, number, after);
  const last = ranges.at(-1)?.last;
  if (last === undefined) return { upTo: after, isLast: true };
  const rows = database.prepare('SELECT position, id FROM events WHERE position BETWEEN ? AND ?');
  const entries = new Map<number, string | undefined>();
  for (const { position, entry } of archived.entries(after, last)) entries.set(position, idOfEntry(entry));
  database.exec('BEGIN IMMEDIATE');
  try {
    const remove = database.prepare('DELETE FROM events WHERE position BETWEEN ? AND ?');
    for (const { first, last: end } of ranges) {
      for (const { position, id } of rows.all(first, end) as { position: number; id: string }[])
        if (entries.get(position) !== id)
          throw new OtherEvent(`The event at position ${position} is not the archived one`);
      remove.run(first, end);
    }
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    if (error instanceof OtherEvent) return error.message;
    throw error;
  }
  return { upTo: last, isLast: false };
}

class OtherEvent extends Error {}

/** The next ranges of a segment with at most `MAX_ROWS` positions. */
function someRanges(archived: ArchivedEvents, number: number, after: number): PositionRange[] {
  const ranges: PositionRange[] = [];
  let rows = 0;
  for (const range of archived.rangesOf(number, after)) {
    const first = Math.max(range.first, after + 1);
    const last = Math.min(range.last, first + MAX_ROWS - rows - 1);
    ranges.push({ first, last });
    rows += last - first + 1;
    if (rows >= MAX_ROWS) break;
  }
  return ranges;
}

function setRemoved(archivePath: string, number: number): void {
  const writer = new ArchiveWriter(archivePath);
  try {
    writer.setRemoved(number, true);
  } finally {
    writer.close();
  }
}
