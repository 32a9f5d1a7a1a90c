import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import { LAYOUT } from './readModelFile.ts';
import { SEGMENT_SIZE } from './requestIdFragments.ts';
import { completeSegments } from './requestIdIndex.ts';

/** Where the read models have the events of requests. They may be of another log: what they say must be looked up in the log. */
export interface FoundRequests {
  /** Position that the read models reach. */
  readonly head: number;
  /** Positions of the end of each request, and of its admission if that was announced; in no order. */
  readonly positions: readonly number[];
}

/**
 * Finds requests by their ids in a file of read models, some hundred look-ups in the index for a log of millions.
 * @param database opened for reading
 * @returns undefined when the file has another layout
 * @throws the error of SQLite
 */
export function findRequests(database: DatabaseSync, requestIds: readonly string[]): FoundRequests | undefined {
  if (database.prepare('PRAGMA user_version').get()?.user_version !== LAYOUT) return undefined;
  const head = database.prepare('SELECT position FROM progress').get()?.position as number | undefined;
  if (head === undefined) return undefined;
  const complete = completeSegments(head as Position);
  const indexed = database.prepare('SELECT position FROM requestIds WHERE stretch = ? AND requestId = ?');
  const unindexed = database.prepare(`
    SELECT position FROM requests WHERE position >= ?1 AND requestId = ?2
    UNION ALL SELECT position FROM admissions WHERE position >= ?1 AND requestId = ?2`);
  const positions = requestIds.flatMap((requestId) => [
    ...Array.from({ length: complete }, (_, stretch) => indexed.all(stretch, requestId)).flat(),
    ...unindexed.all(complete * SEGMENT_SIZE, requestId),
  ]);
  return { head, positions: positions.map((row) => row.position as number) };
}
