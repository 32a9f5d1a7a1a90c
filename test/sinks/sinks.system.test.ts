import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { reasonsOf } from '../durability/support/reasonsOf.ts';
import { startGateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/management.ts';
import { ocsfProblems } from '../support/ocsf/validate.ts';

const soon = { timeout: 30_000, interval: 10 };

/** An endpoint that keeps the events which it takes; it takes none while its status is not 2xx. */
async function anEndpoint() {
  const endpoint = {
    url: '',
    status: 204,
    events: [] as Record<string, unknown>[],
    headers: {} as Record<string, unknown>,
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    endpoint.headers = request.headers;
    if (endpoint.status < 300) endpoint.events.push(...JSON.parse(body));
    response.writeHead(endpoint.status).end('a secret of the receiver');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events?token=secret`;
  return endpoint;
}

async function aGateway(env: Record<string, string>, accounts = 1) {
  const gateway = await startGateway({ accounts, env });
  onTestFinished(() => gateway.stop());
  return gateway;
}

const linesIn = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('file and URL get every event once and in order, from the start of the node to its stop, over a restart', {
  timeout: 60_000,
}, async () => {
  const path = join(temporaryFolder(), 'events.jsonl');
  const endpoint = await anEndpoint();
  const gateway = await aGateway({
    SVC_SINK_FILE: path,
    SVC_SINK_URL: endpoint.url,
    SVC_SINK_URL_FORMAT: 'ocsf',
    SVC_SINK_URL_AUTHORIZATION: 'Bearer of-the-siem',
  });
  expect((await gateway.ask()).status).toBe(200);
  await gateway.restart();
  expect((await gateway.ask()).status).toBe(200);
  const { sinks } = (await gateway.api('GET', '/api/status')).body;
  expect(sinks).toMatchObject([
    { kind: 'file', target: path, format: 'cloudevents', fail_closed: false, failure: null },
    { kind: 'url', target: endpoint.url.split('?')[0], format: 'ocsf', fail_closed: false, failure: null },
  ]);
  await gateway.stopService();

  const lines = linesIn(path);
  const last = lines.length;
  expect(lines.map(({ position }) => position)).toEqual(Array.from({ length: last }, (_, index) => String(index + 1)));
  const types = lines.map(({ type }) => type);
  expect([types[0], types.at(-1)]).toEqual(['PricesPublished', 'NodeStopped']);
  expect(types.filter((type) => type === 'RequestCompleted')).toHaveLength(2);
  expect(
    lines.every(({ specversion, source }) => specversion === '1.0' && /^svc\/[0-9a-f]{16}$/.test(String(source))),
  ).toBe(true);

  const sequences = endpoint.events.map(({ metadata }) => (metadata as { sequence: number }).sequence);
  expect(sequences).toEqual(lines.map(({ position }) => Number(position)));
  expect(endpoint.events.flatMap(ocsfProblems)).toEqual([]);
  expect(endpoint.headers).toMatchObject({
    authorization: 'Bearer of-the-siem',
    'content-type': 'application/json; charset=utf-8',
  });
});

test('a URL that fails holds nothing up, is said once without its secrets, and gets what it missed', {
  timeout: 60_000,
}, async () => {
  const endpoint = await anEndpoint();
  endpoint.status = 500;
  const gateway = await aGateway({ SVC_SINK_URL: endpoint.url });
  const problems = async () => (await gateway.api('GET', '/api/status')).body.problems;
  await vi.waitFor(async () => expect(await problems()).toMatchObject([{ code: 'sink_not_delivered' }]), soon);
  expect((await gateway.ask()).status).toBe(200);
  const said = gateway.output.filter((line) => line.includes('Events are not delivered'));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('responded with status 500');
  expect(said[0]).not.toContain('secret');
  endpoint.status = 200;
  await vi.waitFor(async () => expect(await problems()).toEqual([]), soon);
  const { position } = (await gateway.api('GET', '/api/status')).body.events;
  await vi.waitFor(
    () => expect(endpoint.events.map(({ position: at }) => Number(at)).at(-1)).toBeGreaterThanOrEqual(position),
    soon,
  );
});

test('model requests and changes wait for a fail-closed sink, and reads do not', { timeout: 60_000 }, async () => {
  const endpoint = await anEndpoint();
  const gateway = await aGateway({ SVC_SINK_URL: endpoint.url, SVC_SINK_FAIL_CLOSED: 'url' });
  endpoint.status = 503;
  const failing = async () => (await gateway.api('GET', '/api/status')).body.sinks[0].failure;
  // What makes it notice: an event that it has to deliver.
  await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
  await vi.waitFor(async () => expect(await failing()).toContain('status 503'), soon);

  expect(await reasonsOf(gateway.url)).toEqual(['sink_unavailable']);
  const before = gateway.asked().length;
  const waiting = Promise.all([
    gateway.ask().then(({ status }) => status),
    gateway.api('POST', '/api/firewall/ips', { ip_address: '10.0.0.1' }).then(({ status }) => status),
  ]);
  expect((await gateway.api('GET', '/api/firewall/ips')).status).toBe(200);
  expect(gateway.asked()).toHaveLength(before);
  endpoint.status = 204;
  expect(await waiting).toEqual([200, 200]);
  expect(gateway.asked()).toHaveLength(before + 1);
  expect(await failing()).toBeNull();
  await vi.waitFor(async () => expect(await reasonsOf(gateway.url)).toEqual([]), soon);
});

test.each([
  [{ SVC_SINK_FAIL_CLOSED: 'file' }, 'SVC_SINK_FILE: must be set'],
  [{ SVC_SINK_FAIL_CLOSED: 'disk' }, 'SVC_SINK_FAIL_CLOSED'],
  [{ SVC_SINK_URL: 'ftp://siem.example' }, 'SVC_SINK_URL: must be an http or https URL'],
  [{ SVC_SINK_START: 'yesterday' }, 'SVC_SINK_START: must be beginning, now or a position'],
  [{ SVC_SINK_FILE_FORMAT: 'cef' }, 'SVC_SINK_FILE_FORMAT: must be cloudevents or ocsf'],
])('refuses to start with %o', async (env, message) => {
  await expect(startGateway({ accounts: 0, env: env as Record<string, string> })).rejects.toThrow(message);
});
