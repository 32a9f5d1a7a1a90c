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
      if (await hasEventAt(client, resumeMarkAt(database, middle))) has = middle;
      else lacks = middle;
    }
    return readLogEndAt(database, has as LogEnd['position']) ?? EMPTY_LOG;
  } finally {
    database.close();
  }
}

function resumeMarkAt(database: DatabaseSync, position: number): ResumeMark {
  const statement = database.prepare('SELECT commitPosition, preparePosition, id FROM events WHERE position = ?');
  statement.setReadBigInts(true);
  const row = statement.get(position) as { commitPosition: bigint; preparePosition: bigint; id: string };
  return { native: { commit: row.commitPosition, prepare: row.preparePosition }, id: row.id };
}
