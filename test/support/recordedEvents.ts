import { join } from 'node:path';
import type { RecordedEvent } from '../../src/eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../src/eventLog/sqlite/sqliteEventLog.ts';

/** Reads the embedded log of a data folder from the beginning, as the fold does. */
export async function recordedEvents(folder: string): Promise<RecordedEvent[]> {
  const log = await createSqliteEventLog({ path: join(folder, 'log.sqlite'), node: 'reader' });
  const events: RecordedEvent[] = [];
  for await (const event of log.readAll(0 as never)) events.push(event as unknown as RecordedEvent);
  await log.close();
  return events;
}
