import { randomBytes } from 'node:crypto';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { startGateway } from '../support/gateway.ts';
import { mongoServer, NO_MONGODB } from '../support/mongo/mongoServer.ts';

const mongo = await mongoServer();
afterAll(() => mongo?.stop());

const soon = { timeout: 15_000, interval: 20 };

const COMBINATIONS = [
  { where: 'in the data folder alone' },
  { where: 'with EventStoreDB', events: true },
  { where: `with MongoDB (${mongo?.product ?? NO_MONGODB})`, documents: true },
  { where: `with EventStoreDB and MongoDB (${mongo?.product ?? NO_MONGODB})`, events: true, documents: true },
];

for (const { where, events = false, documents = false } of COMBINATIONS) {
  test.skipIf(documents && !mongo)(`${where}, a request is served and shown, also after a restart`, async () => {
    const env: Record<string, string> = { SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    if (events) {
      const server = await startFakeEventStore();
      onTestFinished(() => server.kill());
      env.SVC_EVENTSTORE_URL = server.url;
    }
    if (documents && mongo) env.SVC_MONGODB_URL = mongo.newDatabase();
    const gateway = await startGateway({ env });
    onTestFinished(() => gateway.stop());

    const shown = async (requests: number) => {
      const newest = async () => (await gateway.api('GET', '/api/request-logs')).body;
      await vi.waitUntil(async () => (await newest()).total === requests, soon);
      return (await newest()).requests[0];
    };
    const answer = await gateway.ask();
    expect(await answer.text()).toContain('response.completed');
    expect(await shown(1)).toMatchObject({ request_id: answer.headers.get('x-request-id'), status: '200' });

    await gateway.restart();
    const next = await gateway.ask();
    expect(await next.text()).toContain('response.completed');
    expect(await shown(2)).toMatchObject({ request_id: next.headers.get('x-request-id'), status: '200' });
    const history = await gateway.api('GET', '/api/history?type=RequestCompleted');
    expect(history.body.events).toHaveLength(2);
  });
}
