import type { Instant } from '../domain/core/brands.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';

/**
 * Position of the first event that was written at a time or later; undefined when there is none. Reads the log's file up to
 * there.
 */
export function firstPositionSince(location: string, since: Instant): number | undefined {
  const database = openForReading(location);
  try {
    const found = database.prepare('SELECT position FROM events WHERE time >= ? ORDER BY position LIMIT 1').get(since);
    return found?.position as number | undefined;
  } finally {
    database.close();
  }
}
