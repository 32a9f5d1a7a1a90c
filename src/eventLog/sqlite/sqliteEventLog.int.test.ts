import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeEventLog, type LogUnderTest } from '../../../test/contract/eventLog.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { newEventId } from '../eventId.ts';
import { createSqliteEventLog } from './sqliteEventLog.ts';

describeEventLog('SQLite', async (): Promise<LogUnderTest> => {
  const folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  return {
    open: () => createSqliteEventLog({ path, node: 'test' }),
    async writeUnknownType(stream) {
      const database = new DatabaseSync(path);
      database
        .prepare(
          'INSERT INTO events (stream, revision, id, type, version, time, data, metadata) VALUES (?,?,?,?,?,?,?,?)',
        )
        .run(stream, 0, newEventId(), 'InventedLater', 1, 0, '{}', '{}');
      database.close();
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});
