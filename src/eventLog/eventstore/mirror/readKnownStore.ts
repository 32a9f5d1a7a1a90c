import type { DatabaseSync } from 'node:sqlite';
import type { KnownStore, ResumeMark } from './resumePoint.ts';

/** Of all events but those of requests, which may be archived. */
const OF_KEPT = `SELECT commitPosition, preparePosition, id FROM events
  WHERE (stream < 'requests-' OR stream >= 'requests.') AND commitPosition > 0 ORDER BY position DESC LIMIT 1`;
const OF_PROGRESS = 'SELECT commitPosition, preparePosition, id FROM progress';
const OF_EVENTS = 'SELECT commitPosition, preparePosition, id FROM events ORDER BY position DESC LIMIT 1';

/** The last event of a mirror that is never archived. */
export const readKeptMark = (database: DatabaseSync): ResumeMark | undefined => readMark(database, OF_KEPT)[0];

/** Reads from a mirror file the last event of any kind, then the last one of the history, which only an archived day loses. */
export function readKnownStore(database: DatabaseSync): KnownStore {
  const marks = [OF_PROGRESS, OF_EVENTS].flatMap((sql) => readMark(database, sql));
  const row = database.prepare('SELECT id FROM installation').get() as { id: string } | undefined;
  return { marks, installation: row?.id };
}

function readMark(database: DatabaseSync, sql: string): ResumeMark[] {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  const row = statement.get() as { commitPosition: bigint; preparePosition: bigint; id: string } | undefined;
  return row ? [{ native: { commit: row.commitPosition, prepare: row.preparePosition }, id: row.id }] : [];
}
