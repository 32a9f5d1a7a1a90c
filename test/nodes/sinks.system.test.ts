import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../support/management.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { openCluster } from './cluster.ts';

const soon = { timeout: 60_000, interval: 50 };

/** Position and id of each whole line of a sink's file. */
const linesOf = (path: string): [position: number, id: string][] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
    .map(({ position, id }) => [Number(position), id]);

interface Posted {
  readonly position: string;
  readonly id: string;
}

/** An endpoint that keeps what it gets, and responds while `responds` is set. */
async function anEndpoint() {
  const endpoint = { url: '', responds: true, events: [] as Posted[] };
  const server = createServer(async (request, response) => {
    endpoint.events.push(...(JSON.parse(await text(request)) as Posted[]));
    if (endpoint.responds) response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  return endpoint;
}

test('one node posts the events of all to a URL, and the next one goes on after a kill without a gap', {
  timeout: 140_000,
}, async () => {
  const [cluster, siem] = await Promise.all([openCluster(), anEndpoint()]);
  const env = { SVC_SINK_URL: siem.url };
  const a = await cluster.node('a', env);
  const leads = { name: 'sinks', node: 'a', is_here: true };
  await vi.waitFor(
    async () =>
      expect((await a.api.call('GET', '/api/status')).sole_work).toContainEqual(expect.objectContaining(leads)),
    soon,
  );
  const b = await cluster.inProcessNode('b', env);
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await a.api.importAccount(account);
  await vi.waitUntil(async () => (await b.api.call('GET', '/api/accounts')).accounts.length === 1, soon);
  for (let round = 0; round < 3; round++) expect([await a.ask(), await b.ask()]).toEqual([200, 200]);
  const hasEvents = (upTo: number) => siem.events.some(({ position }) => Number(position) >= upTo);
  // Else the endpoint might keep a response that was due before, and get nothing until the node gives up waiting for it.
  const settled = (await b.api.call('GET', '/api/status')).events.position;
  await vi.waitUntil(() => hasEvents(settled), soon);
  // The node dies with a batch that the endpoint has and that it does not know to be taken.
  siem.responds = false;
  const before = siem.events.length;
  expect(await a.ask()).toBe(200);
  await vi.waitUntil(() => siem.events.length > before, soon);
  await a.service.kill();
  siem.responds = true;
  for (let round = 0; round < 3; round++) expect(await b.ask()).toBe(200);
  await vi.waitUntil(async () => (await b.api.requestLog(0)).total === 10, soon);
  const { events } = await b.api.call('GET', '/api/status');
  await vi.waitUntil(() => hasEvents(events.position), soon);

  const known = new Map<number, string>();
  for (const { position, id } of siem.events) {
    expect(Number(position)).toBeLessThanOrEqual(known.size + 1);
    expect(known.get(Number(position)) ?? id).toBe(id);
    known.set(Number(position), id);
  }
  expect(known.size).toBeGreaterThanOrEqual(events.position);
});

test('each node writes the events of all to its sink, in order, and goes on after a kill without a gap', {
  timeout: 140_000,
}, async () => {
  const cluster = await openCluster();
  const folder = temporaryFolder();
  const fileOf = (name: string) => join(folder, `${name}.jsonl`);
  const envOf = (name: string) => ({ SVC_SINK_FILE: fileOf(name) });
  const a = await cluster.node('a', envOf('a'));
  const b = await cluster.inProcessNode('b', envOf('b'));
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await a.api.importAccount(account);
  await vi.waitUntil(async () => (await b.api.call('GET', '/api/accounts')).accounts.length === 1, soon);
  for (let round = 0; round < 5; round++) expect([await a.ask(), await b.ask()]).toEqual([200, 200]);
  await a.service.kill();
  for (let round = 0; round < 5; round++) expect(await b.ask()).toBe(200);
  const again = await cluster.node('a', envOf('a'));
  expect(await again.ask()).toBe(200);

  const isOfRequest = async () => (await b.api.requestLog(0)).total === 16;
  await vi.waitUntil(isOfRequest, soon);
  const { events } = await b.api.call('GET', '/api/status');
  const reached: number = events.position;
  await vi.waitFor(() => {
    for (const name of ['a', 'b']) expect(linesOf(fileOf(name)).at(-1)?.[0]).toBeGreaterThanOrEqual(reached);
  }, soon);

  const expected = Array.from({ length: reached }, (_, index) => index + 1);
  const [ofA, ofB] = ['a', 'b'].map((name) => linesOf(fileOf(name)).filter(([position]) => position <= reached));
  expect(ofB?.map(([position]) => position)).toEqual(expected);
  // The killed node may have written what it had not marked yet: it comes once more, and nothing is left out.
  const known = new Map<number, string>();
  for (const [position, id] of ofA ?? []) {
    expect(position).toBeLessThanOrEqual(known.size + 1);
    if (known.has(position)) expect(id).toBe(known.get(position));
    known.set(position, id);
  }
  expect([...known]).toEqual(ofB);
});
