import type { DatabaseSync } from 'node:sqlite';
import type { Forgotten } from './wire.ts';

/** Deletes events that stand elsewhere. What cannot be deleted now (the disk is full) is deleted with the next ones. */
export function forget(database: DatabaseSync, { upTo, kept }: Forgotten): void {
  const places = kept.map(() => '?').join(', ');
  try {
    database.prepare(`DELETE FROM events WHERE position <= ? AND position NOT IN (${places})`).run(upTo, ...kept);
  } catch {
    // Nothing is wrong with what is there.
  }
}
