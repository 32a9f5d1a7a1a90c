import type { DatabaseSync } from 'node:sqlite';

/** Events of one stream to delete. */
export interface PruneRange {
  readonly stream: string;
  /** Up to and including this revision. */
  readonly upTo: number;
  /** Whether the event at `upTo` stays, because the next event continues its chain. */
  readonly keepsLast: boolean;
}

/** Deletes events. Errors are ignored (the disk may be full): the next call deletes the same events. */
export function prune(database: DatabaseSync, ranges: readonly PruneRange[]): void {
  try {
    database.exec('BEGIN IMMEDIATE');
    const statement = database.prepare('DELETE FROM events WHERE stream = ? AND revision < ?');
    for (const { stream, upTo, keepsLast } of ranges) statement.run(stream, keepsLast ? upTo : upTo + 1);
    database.exec('COMMIT');
  } catch {
    // The remaining events are intact.
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}
