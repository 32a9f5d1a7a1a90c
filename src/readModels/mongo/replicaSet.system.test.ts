import { afterAll, describe, expect, test } from 'vitest';
import { randomRequests } from '../../../test/contract/readModels/randomRequests.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../../../test/support/mongo/mongoServer.ts';
import { mongoStage } from '../../../test/support/mongo/mongoStage.ts';
import { replicaSetOver } from '../../../test/support/mongo/replicaSet.ts';
import { seededRandom } from '../../../test/support/random.ts';
import { compareMongoReadModels } from './rebuild.ts';

const server = await mongoServer();
afterAll(() => server?.stop());

// All other tests use a standalone server or a replica set with one member.
describe.skipIf(!server || server.product === 'MongoDB')(
  server ? `${server.product} as a replica set` : NO_MONGODB_FOUND,
  () => {
    test('reads from the primary only, and continues with the next primary when it dies', async () => {
      await using stage = await mongoStage(server as MongoServer);
      const replicaSet = await replicaSetOver(stage.url);
      const node = stage.node({ url: `${replicaSet.url}&readPreference=secondary&w=1` });
      const total = async (head: Awaited<ReturnType<typeof stage.append>>) => {
        await stage.reached(head);
        return (await node.requestLog.page({}, 10, 0, head)).total;
      };
      expect(await total(await stage.append(...randomRequests(20, seededRandom(1))))).toBe(20);
      expect(replicaSet.commands.map(({ size }) => size > 0)).toEqual([true, false, false]);

      replicaSet.failOver();
      expect(await total(await stage.append(...randomRequests(10, seededRandom(2))))).toBe(30);
      expect(replicaSet.commands.map(({ size }) => size > 0)).toEqual([true, true, false]);
      expect((await compareMongoReadModels({ url: replicaSet.url, logPath: stage.logPath })).differences).toEqual([]);
    });
  },
);
