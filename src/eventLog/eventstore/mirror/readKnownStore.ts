import type { DatabaseSync } from 'node:sqlite';
import type { KnownStore, ResumeMark } from './resumePoint.ts';

const OF_PROGRESS = 'SELECT commitPosition, preparePosition, id FROM progress';
const OF_EVENTS = 'SELECT commitPosition, preparePosition, id FROM events ORDER BY position DESC LIMIT 1';

/** Reads from a mirror file the last event of any kind, then the last one of the history, which is never scavenged. */
export function readKnownStore(database: DatabaseSync): KnownStore {
  const marks = [OF_PROGRESS, OF_EVENTS].flatMap((sql): ResumeMark[] => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    const row = statement.get() as { commitPosition: bigint; preparePosition: bigint; id: string } | undefined;
    return row ? [{ native: { commit: row.commitPosition, prepare: row.preparePosition }, id: row.id }] : [];
  });
  const row = database.prepare('SELECT id FROM installation').get() as { id: string } | undefined;
  return { marks, installation: row?.id };
}
