import { afterAll, describe, vi } from 'vitest';
import { describeArchivedReadModels, describeReadModels } from '../../../test/contract/readModels.ts';
import { activeFence } from '../../../test/support/mongo/activeFence.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../../../test/support/mongo/mongoServer.ts';
import { mongoStage } from '../../../test/support/mongo/mongoStage.ts';

const server = await mongoServer();
afterAll(() => server?.stop());

// It shares the cores with the files that run beside this one.
vi.setConfig({ testTimeout: 60_000 });

/** FerretDB scans all documents for each query. */
const scale = server?.product === 'FerretDB' ? 0.1 : 1;

async function createReadModels() {
  const stage = await mongoStage(server as MongoServer);
  const node = stage.node();
  // Waits until collections and indexes exist, which may take longer than a query waits.
  await vi.waitUntil(async () => (await activeFence(stage.db)) !== undefined, { timeout: 15_000, interval: 10 });
  return {
    ...node,
    archive: stage.archive,
    async append(...events: Parameters<typeof stage.append>) {
      const head = await stage.append(...events);
      // Many documents may take longer, too.
      if (events.length > 2) await stage.reached(head);
      return head;
    },
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      if (node.reported.length > 0) throw new Error(node.reported.join('\n'));
    },
  };
}

describe.skipIf(!server)(server ? `${server.product} ${server.version}` : NO_MONGODB_FOUND, () => {
  describeReadModels('MongoDB', createReadModels, { scale });
  describeArchivedReadModels('MongoDB', createReadModels);
});
