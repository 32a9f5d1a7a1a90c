import { brotliCompressSync, zstdCompressSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { MAX_EVENT_BYTES } from '../../src/eventLog/prepareAppend.ts';
import type { SimulatedAccount } from '../support/provider/account.ts';
import { accessTokenRefused, textResponse } from '../support/provider/scripts.ts';
import { openCluster } from './cluster.ts';

const soon = { timeout: 30_000, interval: 20 };
/** One byte more than EventStoreDB takes in one append, in 116 bytes of br and 182 of zstd. */
const POISON = 'x'.repeat(1_048_577);
const encodings = { br: brotliCompressSync, zstd: zstdCompressSync };

const valid = { model: 'gpt-5.1', instructions: 'i', input: 'hi', stream: true, store: false };
/** Texts that requests put into events, in bodies of every surface. */
const bodies: readonly (readonly [path: string, body: object])[] = [
  ['/v1/responses', { ...valid, model: POISON }],
  ['/v1/responses', { ...valid, reasoning: { effort: POISON } }],
  ['/v1/responses', { ...valid, service_tier: POISON }],
  ['/v1/responses', { ...valid, prompt_cache_key: POISON }],
  ['/v1/responses', { ...valid, tools: [{ type: POISON }] }],
  ['/backend-api/svc/responses', { ...valid, reasoning: { effort: POISON } }],
  ['/v1/responses/compact', { ...valid, reasoning: { effort: POISON } }],
  [
    '/v1/chat/completions',
    { model: 'gpt-5.1', messages: [{ role: 'user', content: POISON }], reasoning_effort: POISON },
  ],
  ['/v1/chat/completions', { model: 'gpt-5.1', messages: [{ role: POISON, content: 'hi' }] }],
];

/** A node that shares EventStoreDB with another one, on which the operator signs in. */
async function twoNodes() {
  const cluster = await openCluster();
  const [node, other] = [await cluster.inProcessNode('a'), await cluster.inProcessNode('b')];
  const password = { password: 'correct horse' };
  expect((await node.send('POST', '/api/dashboard-auth/password/setup', { body: password })).status).toBe(200);

  async function sendCompressed(encoding: keyof typeof encodings, path: string, body: object): Promise<number> {
    const compressed = encodings[encoding](JSON.stringify(body));
    expect(compressed.length).toBeLessThan(1_000);
    const response = await fetch(node.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      body: compressed,
    });
    await response.text();
    return response.status;
  }

  /** Signs in at the node; resolves when the session is valid at the other one. @returns how long that took */
  async function signIn(): Promise<{ cookie: string; tookMs: number }> {
    const since = performance.now();
    const response = await node.send('POST', '/api/dashboard-auth/password/login', { body: password });
    const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] as string;
    const isSignedIn = async () => (await other.send('GET', '/api/accounts', { headers: { cookie } })).status === 200;
    await vi.waitUntil(isSignedIn, soon);
    return { cookie, tookMs: performance.now() - since };
  }

  async function statusOf({ cookie }: { cookie: string }) {
    const response = await node.send('GET', '/api/status', { headers: { cookie } });
    return (await response.json()) as { outbox: Record<'pending' | 'parked', number>; problems: { code: string }[] };
  }

  const largest = () =>
    Math.max(...cluster.database.log.map(({ data, metadata }) => data.length + (metadata?.length ?? 0)));
  const typesOf = (prefix: string) =>
    cluster.database.log.filter(({ stream }) => stream.startsWith(prefix)).map(({ type }) => type);
  return { cluster, node, other, sendCompressed, signIn, statusOf, largest, typesOf };
}

/** Imports an account as the operator. */
async function importAccount(url: string, cookie: string, account: SimulatedAccount): Promise<void> {
  const body = new FormData();
  body.set('auth_json', new Blob([JSON.stringify(account.authFile())]), 'auth.json');
  const response = await fetch(`${url}/api/accounts/import`, { method: 'POST', headers: { cookie }, body });
  expect(response.status).toBe(200);
}

test('drains what compressed requests with a text beyond the bounds leave, and parks nothing', {
  timeout: 60_000,
}, async () => {
  const { cluster, node, sendCompressed, signIn, statusOf, largest, typesOf } = await twoNodes();
  const session = await signIn();
  const account = cluster.provider.addAccount();
  account.always(textResponse());
  await importAccount(node.url, session.cookie, account);

  const statuses: number[] = [];
  for (const encoding of ['br', 'zstd'] as const)
    for (const [path, body] of bodies) statuses.push(await sendCompressed(encoding, path, body));
  // Each text is refused, or kept nowhere.
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
  account.responses.next(accessTokenRefused());
  expect(await node.ask()).toBe(200);
  const { tookMs } = await signIn();
  expect(tookMs).toBeLessThan(5_000);
  await vi.waitUntil(async () => (await statusOf(session)).outbox.pending === 0, soon);
  const { outbox, problems } = await statusOf(session);
  expect({ parked: outbox.parked, problems }).toEqual({ parked: 0, problems: [] });
  expect(typesOf('requests-a').filter((type) => type === 'RequestRefused').length).toBeGreaterThan(0);
  expect(typesOf('refreshes-a')).toContain('TokensRefreshed');
  expect(largest()).toBeLessThanOrEqual(MAX_EVENT_BYTES);
});

test('drains refusals for lack of accounts whose requests have such a text, and parks nothing', {
  timeout: 60_000,
}, async () => {
  const { node, sendCompressed, signIn, statusOf, largest, typesOf } = await twoNodes();
  const session = await signIn();
  const statuses: number[] = [];
  for (const encoding of ['br', 'zstd'] as const)
    for (const [path, body] of bodies) statuses.push(await sendCompressed(encoding, path, body));
  expect(new Set(statuses)).toEqual(new Set([400, 503]));
  const { tookMs } = await signIn();
  expect(tookMs).toBeLessThan(5_000);
  await vi.waitUntil(async () => (await statusOf(session)).outbox.pending === 0, soon);
  const { outbox, problems } = await statusOf(session);
  const codes = problems.map(({ code }) => code);
  expect({ parked: outbox.parked, codes }).toEqual({ parked: 0, codes: ['no_account_available'] });
  expect(await node.ask()).toBe(503);
  await vi.waitUntil(() => typesOf('requests-a').includes('RequestRefused'), soon);
  expect(largest()).toBeLessThanOrEqual(MAX_EVENT_BYTES);
});
