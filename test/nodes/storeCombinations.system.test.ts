import { randomBytes } from 'node:crypto';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { startGateway } from '../support/gateway.ts';
import { mongoServer, NO_MONGODB_FOUND } from '../support/mongo/mongoServer.ts';

const mongo = await mongoServer();
afterAll(() => mongo?.stop());

const soon = { timeout: 15_000, interval: 20 };

const COMBINATIONS = [
  { where: 'with the data folder only' },
  { where: 'with EventStoreDB', events: true },
  { where: `with MongoDB (${mongo?.product ?? NO_MONGODB_FOUND})`, documents: true },
  { where: `with EventStoreDB and MongoDB (${mongo?.product ?? NO_MONGODB_FOUND})`, events: true, documents: true },
];

for (const { where, events = false, documents = false } of COMBINATIONS) {
  test.skipIf(documents && !mongo)(`serves and logs requests before and after a restart ${where}`, async () => {
    const env: Record<string, string> = { SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    if (events) {
      const server = await startFakeEventStore();
      onTestFinished(() => server.kill());
      env.SVC_EVENTSTORE_URL = server.url;
    }
    if (documents && mongo) env.SVC_MONGODB_URL = mongo.newDatabase();
    const gateway = await startGateway({ env });
    onTestFinished(() => gateway.stop());

    const newestRequest = async (total: number) => {
      const page = async () => (await gateway.api('GET', '/api/request-logs')).body;
      await vi.waitUntil(async () => (await page()).total === total, soon);
      return (await page()).requests[0];
    };
    const first = await gateway.ask();
    expect(await first.text()).toContain('response.completed');
    expect(await newestRequest(1)).toMatchObject({ request_id: first.headers.get('x-request-id'), status: '200' });

    await gateway.restart();
    const second = await gateway.ask();
    expect(await second.text()).toContain('response.completed');
    expect(await newestRequest(2)).toMatchObject({ request_id: second.headers.get('x-request-id'), status: '200' });
    const history = await gateway.api('GET', '/api/history?type=RequestCompleted');
    expect(history.body.events).toHaveLength(2);
  });
}
