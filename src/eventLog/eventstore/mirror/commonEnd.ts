import type { DatabaseSync } from 'node:sqlite';
import { openForReading } from '../../sqlite/database.ts';
import { EMPTY_LOG, type LogEnd, readLogEnd, readLogEndAt } from '../../sqlite/logEnd.ts';
import type { EventStoreClient } from '../client/client.ts';
import { hasEventAt, type ResumeMark } from './resumePoint.ts';

/**
 * The last event of a mirror that the store still has, when the store was restored from an older backup. Takes some twenty
 * reads, because an older backup has the beginning of the history and nothing after it.
 * @param path the file of the mirror
 * @throws what the client throws
 */
export async function findCommonEnd(client: EventStoreClient, path: string): Promise<LogEnd> {
  const database = openForReading(path);
  try {
    let [has, lacks] = [0, readLogEnd(database).position + 1];
    while (lacks - has > 1) {
      const middle = Math.floor((has + lacks) / 2);
      // Archived events have no row.
      const mark = markUpTo(database, middle);
      if (!mark || mark.position <= has) has = middle;
      else if (await hasEventAt(client, mark)) has = middle;
      else lacks = mark.position;
    }
    return readLogEndAt(database, (markUpTo(database, has)?.position ?? 0) as LogEnd['position']) ?? EMPTY_LOG;
  } finally {
    database.close();
  }
}

/** The last event up to a position that has a row and a place in `$all`. */
function markUpTo(database: DatabaseSync, position: number): (ResumeMark & { readonly position: number }) | undefined {
  const statement = database.prepare(
    `SELECT position, commitPosition, preparePosition, id FROM events
     WHERE position <= ? AND commitPosition > 0 ORDER BY position DESC LIMIT 1`,
  );
  statement.setReadBigInts(true);
  const row = statement.get(position) as
    | { position: bigint; commitPosition: bigint; preparePosition: bigint; id: string }
    | undefined;
  return (
    row && {
      position: Number(row.position),
      native: { commit: row.commitPosition, prepare: row.preparePosition },
      id: row.id,
    }
  );
}
