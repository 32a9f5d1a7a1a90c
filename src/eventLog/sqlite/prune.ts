import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';

/** Events to delete: all up to and including position `upTo`, except those at the positions `kept`. */
export interface PruneRange {
  readonly upTo: Position;
  readonly kept: readonly Position[];
}

/** Deletes events. Errors are ignored (the disk may be full): the next call deletes the same events. */
export function prune(database: DatabaseSync, { upTo, kept }: PruneRange): void {
  const placeholders = kept.map(() => '?').join(', ');
  try {
    database.prepare(`DELETE FROM events WHERE position <= ? AND position NOT IN (${placeholders})`).run(upTo, ...kept);
  } catch {
    // The remaining events are intact.
  }
}
