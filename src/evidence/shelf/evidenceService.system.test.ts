import { scrypt } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aFolder } from '../../../test/histories/forged/honestLog.ts';
import { startFakeEventStore } from '../../../test/support/eventstore/fakeEventStore.ts';
import { type Gateway, startGateway, validRequest } from '../../../test/support/gateway.ts';
import { parseVkey } from '../../integrity/notes/noteKeys.ts';
import { verifyBundleFile } from '../files/verifyBundleFile.ts';

vi.setConfig({ testTimeout: 60_000 });
const SOON = { timeout: 20_000, interval: 50 };

const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  cleanups.length = 0;
});
afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
});

async function aGateway(store: string): Promise<Gateway> {
  const env: Record<string, string> = {};
  if (store === 'EventStoreDB') {
    const server = await startFakeEventStore();
    cleanups.push(() => server.kill());
    Object.assign(env, { SVC_EVENTSTORE_URL: server.url, SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
  }
  const gateway = await startGateway({ env });
  cleanups.push(() => gateway.stop());
  return gateway;
}

// biome-ignore lint/suspicious/noExplicitAny: a test may read any field
async function callApi({ url }: Gateway, method: string, path: string, body?: unknown): Promise<any> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Makes a bundle and waits for its job. */
async function makeEvidence(gateway: Gateway, selection: object) {
  const started = await callApi(gateway, 'POST', '/api/evidence', selection);
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  return vi.waitFor(async () => {
    const { body } = await callApi(gateway, 'GET', `/api/jobs/${started.body.id}`);
    expect(body.state).not.toBe('running');
    return body;
  }, SOON);
}

async function aRequest(gateway: Gateway): Promise<string> {
  const response = await gateway.ask(validRequest);
  await response.text();
  return response.headers.get('x-request-id') as string;
}

const foldersOfShelves = () => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-evidence-'));

test.each(['embedded', 'EventStoreDB'])(
  'proves a request through a running service, and records that (%s)',
  async (store) => {
    const gateway = await aGateway(store);
    const requestId = await aRequest(gateway);
    const { state, result, error } = await makeEvidence(gateway, { requests: [requestId] });
    expect({ state, error }).toEqual({ state: 'done', error: null });
    expect(result).toMatchObject({ uncovered: 0, path: `/api/evidence/${result.evidence_id}` });

    const response = await fetch(gateway.url + result.path);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${result.name}"`);
    const file = join(await aFolder(), 'evidence.zip');
    writeFileSync(file, Buffer.from(await response.arrayBuffer()));
    expect(readFileSync(file)).toHaveLength(result.bytes);
    const { body: integrity } = await callApi(gateway, 'GET', '/api/integrity');
    const verified = await verifyBundleFile(file, { trusted: parseVkey(integrity.public_key) });
    expect(verified).toMatchObject({ ok: true, findings: [], notes: [], events: result.events });
    expect(verified.manifest?.selection).toEqual({ requests: [requestId] });

    const [made] = await vi.waitFor(async () => {
      const { body } = await callApi(gateway, 'GET', '/api/history?type=EvidenceMade');
      expect(body.events).toHaveLength(1);
      return body.events;
    }, SOON);
    expect(made.actor).toMatchObject({ kind: 'operator', address: '127.0.0.1' });
    expect(made.sentence).toContain(`request ${requestId}`);
    const { body: event } = await callApi(gateway, 'GET', `/api/history/${made.position}`);
    expect(event.data).toMatchObject({ events: result.events, bytes: result.bytes, treeSize: result.tree_size });
  },
);

test('says why it makes no bundle, and keeps none', async () => {
  const gateway = await aGateway('embedded');
  const failed = await makeEvidence(gateway, { requests: ['req_unknown'] });
  expect(failed).toMatchObject({ state: 'failed', error: expect.stringContaining('No event matches') });
  for (const body of [
    { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' },
    { incident: true },
    { incident: true, since: '2026-01-01T00:00:00Z', types: ['ApiKeyCreated'] },
    { subjects: [] },
    { search: 'ab' },
    { request: 'req_1' },
  ]) {
    expect(await callApi(gateway, 'POST', '/api/evidence', body)).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_error' } },
    });
  }
  for (const id of ['unknown', '..%2f..%2fetc%2fpasswd', '']) {
    const { status } = await callApi(gateway, 'GET', `/api/evidence/${id}`);
    expect([404, 405]).toContain(status);
  }
});

test('keeps the last five bundles until the service stops', async () => {
  const before = foldersOfShelves();
  const gateway = await aGateway('embedded');
  const paths: string[] = [];
  for (let count = 0; count < 6; count += 1) {
    const { result } = await makeEvidence(gateway, { types: ['AccountImported'] });
    paths.push(result.path);
  }
  const statuses = await Promise.all(
    paths.map(async (path) => (await fetch(gateway.url + path, { method: 'HEAD' })).status),
  );
  expect(statuses).toEqual([404, 200, 200, 200, 200, 200]);
  expect(foldersOfShelves().length).toBeGreaterThan(before.length);
  await gateway.stop();
  cleanups.length = 0;
  expect(foldersOfShelves().filter((name) => !before.includes(name))).toEqual([]);
});

test('answers while its bundles are cleaned away', async () => {
  const before = foldersOfShelves();
  const gateway = await aGateway('embedded');
  const { result } = await makeEvidence(gateway, { types: ['AccountImported'] });
  // Files are opened only after this, so that some are gone by then.
  const busy = Promise.all(Array.from({ length: 16 }, () => promisify(scrypt)('password', 'salt', 64)));
  const heads = Array.from({ length: 20 }, () => fetch(gateway.url + result.path, { method: 'HEAD' }));
  await Promise.race([...heads, busy]);
  for (const name of foldersOfShelves()) if (!before.includes(name)) rmSync(join(tmpdir(), name), { recursive: true });
  await busy;
  for (const { status } of await Promise.all(heads)) expect([200, 404]).toContain(status);
});
