import { expect, test, vi } from 'vitest';
import { type Cluster, type ClusterNode, openCluster } from '../nodes/cluster.ts';
import { textResponse } from '../support/provider/scripts.ts';

const SLOW = { timeout: 120_000 };
const soon = { timeout: 30_000, interval: 50 };
const response = textResponse({ usage: { inputTokens: 400, cachedTokens: 0, outputTokens: 600, reasoningTokens: 0 } });

/** A node with an account, and a key with a daily limit of ten requests. */
async function aNode() {
  const cluster = await openCluster();
  return setUp(cluster, await cluster.node('a'));
}

async function setUp<Node extends ClusterNode>(cluster: Cluster, node: Node) {
  const account = cluster.provider.addAccount();
  account.always(response);
  await node.api.importAccount(account);
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 10_000 }];
  const { key } = await node.api.call('POST', '/api/api-keys', { name: 'k', limits });
  await node.api.set({ api_key_auth_enabled: true });
  const streams = () => [
    ...new Set(cluster.database.log.map(({ stream }) => stream).filter((stream) => stream.startsWith('requests-'))),
  ];
  const completed = () => cluster.database.log.filter(({ type }) => type === 'RequestCompleted').length;
  return { cluster, node, headers: { authorization: `Bearer ${key}` }, streams, completed };
}

const statusOf = (node: ClusterNode) => node.api.call('GET', '/api/status');
/** What counts on the limit of the key, also of requests that the log does not have. */
const usedOf = async (node: ClusterNode) => {
  const [{ limits }] = await node.api.call('GET', '/api/api-keys');
  const { reservations } = await statusOf(node);
  return limits[0].current_value + (reservations.limits[0]?.reserved_value ?? 0);
};

test(
  'starts over a tombstoned request stream, parks its events, and drains them when they are retried',
  SLOW,
  async () => {
    const { cluster, node, headers, streams, completed } = await aNode();
    expect(await node.ask(headers)).toBe(200);
    await vi.waitUntil(() => completed() === 1, soon);
    const [stream = ''] = streams();
    await cluster.stopEventStore();
    expect([await node.ask(headers), await node.ask(headers)]).toEqual([200, 200]);
    await node.service.kill();
    cluster.database.tombstone(stream, 'any');
    await cluster.restartEventStore();

    const second = await cluster.node('a');
    await vi.waitUntil(async () => (await statusOf(second)).outbox.parked > 0, soon);
    const { outbox, problems } = await statusOf(second);
    expect(outbox.parked_events[0]).toMatchObject({ stream, reason: expect.stringContaining('permanently deleted') });
    const codes = problems.map(({ code, subject }: { code: string; subject: string }) => [code, subject]);
    expect(codes).toContainEqual(['stream_parked', stream]);
    expect(codes).toContainEqual(['stream_tombstoned', stream]);
    // The parked requests count, and everything else goes on.
    await vi.waitUntil(async () => (await usedOf(second)) === 3_000, soon);
    expect(await second.ask(headers)).toBe(200);
    await vi.waitUntil(() => completed() === 2, soon);
    await vi.waitUntil(async () => (await statusOf(second)).outbox.pending === 0, soon);
    const list = await cluster.command('a', 'outbox', 'list');
    expect(list.stdout.join('\n')).toMatch(
      new RegExp(`RequestCompleted  \\d+ bytes  ${stream}  .*permanently deleted`),
    );
    await second.stop();

    const third = await cluster.node('a');
    await vi.waitUntil(async () => (await usedOf(third)) === 4_000, soon);
    expect((await statusOf(third)).outbox.parked).toBe(outbox.parked);
    await third.stop();
    const retry = await cluster.command('a', 'outbox', 'retry');
    expect(retry.stdout.join('\n')).toMatch(/^\d+ events are drained at the next start\.$/m);
    const fourth = await cluster.node('a');
    await vi.waitUntil(() => completed() === 4, soon);
    await vi.waitUntil(async () => (await statusOf(fourth)).outbox.pending === 0, soon);
    expect((await statusOf(fourth)).outbox.parked).toBe(0);
    expect(await usedOf(fourth)).toBe(4_000);
    await fourth.stop();
  },
);

test('lets a session of a node whose request events are refused in at the other nodes', SLOW, async () => {
  const cluster = await openCluster();
  const { node, headers, streams, completed } = await setUp(cluster, await cluster.inProcessNode('a'));
  const other = await cluster.inProcessNode('b');
  const password = { password: 'correct horse' };
  expect((await node.send('POST', '/api/dashboard-auth/password/setup', { body: password })).status).toBe(200);
  expect(await node.ask(headers)).toBe(200);
  await vi.waitUntil(() => completed() === 1, soon);
  const [stream = ''] = streams();
  cluster.database.tombstone(stream, 'any');
  expect(await node.ask(headers)).toBe(200);
  const signedIn = await node.send('POST', '/api/dashboard-auth/password/login', { body: password });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] as string;
  await vi.waitUntil(
    async () => (await other.send('GET', '/api/accounts', { headers: { cookie } })).status === 200,
    soon,
  );
  expect(await node.ask(headers)).toBe(200);
  // In the fresh stream of the same start.
  await vi.waitUntil(() => completed() === 2, soon);
  expect(streams()).toContain(`${stream}_2`);
});
