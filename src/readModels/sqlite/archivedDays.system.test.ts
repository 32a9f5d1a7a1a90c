import { join } from 'node:path';
import { appendingTo } from '../../../test/contract/readModels/appending.ts';
import { archivingOf } from '../../../test/contract/readModels/archiving.ts';
import { describeArchivedReadModels } from '../../../test/contract/readModels.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

describeArchivedReadModels('SQLite', async () => {
  const folder = await tempFolder();
  const logPath = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'test', archivePath: archivePathOf(logPath) });
  const readModels = createSqliteReadModels({ folder: folder.path, logPath });
  return {
    ...readModels,
    append: appendingTo(log),
    archive: archivingOf(log, logPath, readModels.notify),
    async [Symbol.asyncDispose]() {
      await readModels.close();
      await log.close();
      await folder[Symbol.asyncDispose]();
    },
  };
});
