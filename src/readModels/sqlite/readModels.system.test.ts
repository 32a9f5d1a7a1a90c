import { join } from 'node:path';
import { appendingTo } from '../../../test/contract/readModels/appending.ts';
import { describeReadModels } from '../../../test/contract/readModels.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

describeReadModels('SQLite', async () => {
  const folder = await tempFolder();
  const logPath = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'test' });
  const readModels = createSqliteReadModels({ folder: folder.path, logPath });
  return {
    ...readModels,
    append: appendingTo(log),
    async [Symbol.asyncDispose]() {
      await readModels.close();
      await log.close();
      await folder[Symbol.asyncDispose]();
    },
  };
});
