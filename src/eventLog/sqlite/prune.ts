import type { DatabaseSync } from 'node:sqlite';
import { isIoError } from './database.ts';

/** Events of one stream to delete. */
export interface PruneRange {
  readonly stream: string;
  /** Up to and including this revision. */
  readonly upTo: number;
  /** Whether the event at `upTo` stays, because the next event continues its chain. */
  readonly keepsLast: boolean;
}

/**
 * Deletes events. Most errors are ignored (the disk may be full), because what is deleted again later does no harm.
 * @throws an I/O error, after which the file must be opened again
 */
export function prune(database: DatabaseSync, ranges: readonly PruneRange[]): void {
  try {
    database.exec('BEGIN IMMEDIATE');
    const statement = database.prepare('DELETE FROM events WHERE stream = ? AND revision < ?');
    for (const { stream, upTo, keepsLast } of ranges) statement.run(stream, keepsLast ? upTo : upTo + 1);
    database.exec('COMMIT');
  } catch (error) {
    // The remaining events are intact.
    if (database.isTransaction) database.exec('ROLLBACK');
    if (isIoError(error)) throw error;
  }
}
