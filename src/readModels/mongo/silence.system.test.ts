import { afterAll, describe, expect, test } from 'vitest';
import { completed } from '../../../test/support/management.ts';
import { type MongoServer, mongoServer, NO_MONGODB_FOUND } from '../../../test/support/mongo/mongoServer.ts';
import { mongoStage } from '../../../test/support/mongo/mongoStage.ts';
import { throughTcpProxy } from '../../../test/support/mongo/throughTcpProxy.ts';

const server = await mongoServer();
afterAll(() => server?.stop());

/** A node with read models of one request, connected to MongoDB through a controllable network. */
async function createStage() {
  const stage = await mongoStage(server as MongoServer);
  const { network, url } = await throughTcpProxy(stage.url);
  const node = stage.node({ url });
  const head = await stage.append(completed());
  await stage.reached(head);
  const page = () => node.requestLog.page({}, 10, 0, head);
  expect((await page()).total).toBe(1);
  /** How long a query takes to succeed or fail. */
  async function timed(work: () => Promise<{ total: number }>) {
    const since = performance.now();
    const [outcome] = await Promise.allSettled([work()]);
    return { outcome, tookMs: performance.now() - since };
  }
  return { ...stage, [Symbol.asyncDispose]: stage[Symbol.asyncDispose], network, page, timed };
}

const SILENT = { status: 'rejected', reason: { name: 'ReadModelUnavailable' } };

describe.skipIf(!server)(server ? `${server.product} ${server.version}` : NO_MONGODB_FOUND, () => {
  test('fails queries within 3 s when MongoDB accepts commands but never responds', async () => {
    await using stage = await createStage();
    stage.network.drop();
    const [first, second] = [await stage.timed(stage.page), await stage.timed(stage.page)];
    await stage.network.heal();
    for (const { outcome, tookMs } of [first, second]) {
      expect(outcome).toMatchObject(SILENT);
      // The heartbeat's time-out, and a margin for a busy machine.
      expect(tookMs).toBeLessThan(4_500);
    }
  });

  test('waits for a slow MongoDB', async () => {
    await using stage = await createStage();
    stage.network.delay(500);
    const { outcome, tookMs } = await stage.timed(stage.page);
    await stage.network.heal();
    expect(outcome).toMatchObject({ status: 'fulfilled', value: { total: 1 } });
    expect(tookMs).toBeGreaterThan(2_000);
  });
});
