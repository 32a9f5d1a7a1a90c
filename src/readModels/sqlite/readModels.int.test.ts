import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describeReadModels, type Happened, type ReadModelsUnderTest } from '../../../test/contract/readModels.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { NOW } from '../../../test/support/specification.ts';
import { position } from '../../domain/brands.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { createSqliteEventLog } from '../../log/sqlite/sqliteEventLog.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

describeReadModels('SQLite', async (): Promise<ReadModelsUnderTest> => {
  const folder = await tempFolder();
  const logPath = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'test' });
  const readModels = createSqliteReadModels({ folder: folder.path, logPath });
  return {
    ...readModels,
    async append(...events: Happened[]) {
      if (events.length === 0) return position(0);
      const outcome = await log.append(
        `test-${randomUUID()}`,
        -1,
        events.map((event) => ({
          time: NOW,
          ...(event as KnownEvent),
          id: randomUUID(),
          actor: { kind: 'system', reason: 'test' },
          correlationId: 'test',
        })),
      );
      if (outcome.kind !== 'committed') throw new Error(`not appended: ${JSON.stringify(outcome)}`);
      return outcome.position;
    },
    async [Symbol.asyncDispose]() {
      await readModels.close();
      await log.close();
      await folder[Symbol.asyncDispose]();
    },
  };
});
