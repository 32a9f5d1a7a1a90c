import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';

/** Events that stand elsewhere by now: all up to and with `upTo`, except those at `kept`. */
export interface Forgotten {
  readonly upTo: Position;
  readonly kept: readonly Position[];
}

/** Deletes events that stand elsewhere. What cannot be deleted now (the disk is full) is deleted with the next ones. */
export function forget(database: DatabaseSync, { upTo, kept }: Forgotten): void {
  const places = kept.map(() => '?').join(', ');
  try {
    database.prepare(`DELETE FROM events WHERE position <= ? AND position NOT IN (${places})`).run(upTo, ...kept);
  } catch {
    // Nothing is wrong with what is there.
  }
}
