import { expect, test, vi } from 'vitest';
import { serverError, textResponse, throttled } from '../support/provider/scripts.ts';
import { type ClusterNode, openCluster } from './cluster.ts';

const SLOW = { timeout: 120_000 };
const soon = { timeout: 30_000, interval: 50 };

const LIMIT = 4_000;

async function logAt({ api }: ClusterNode): Promise<{ ids: string[]; served: number }> {
  const { rows } = await api.requestLog();
  return {
    ids: rows.map(({ request_id }) => request_id).toSorted(),
    served: rows.filter(({ error_code }) => error_code === null).length,
  };
}

const usedAt = async ({ api }: ClusterNode): Promise<number> => (await api.keys())[0]?.limits[0]?.current_value ?? 0;

async function explainedBy(node: ClusterNode, id: string): Promise<unknown> {
  const response = await node.send('GET', `/api/requests/${id}/explain`);
  expect(response.status, `${node.name}: ${id}`).toBe(200);
  return response.json();
}

test('every node explains every request in the same words, also after a restart', SLOW, async () => {
  const cluster = await openCluster();
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => cluster.inProcessNode(name)));
  const [a, b, c] = nodes as [ClusterNode, ClusterNode, ClusterNode];
  const accounts = Array.from({ length: 3 }, () => cluster.provider.addAccount());
  for (const account of accounts) {
    account.always(
      textResponse({ usage: { inputTokens: 400, cachedTokens: 100, outputTokens: 600, reasoningTokens: 0 } }),
    );
    await a.api.importAccount(account);
  }
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: LIMIT }];
  const { key } = await b.api.call('POST', '/api/api-keys', { name: 'shared', limits });
  await c.api.set({ api_key_auth_enabled: true });
  const headers = { authorization: `Bearer ${key}`, session_id: 'one conversation' };
  for (const { api } of nodes)
    await vi.waitUntil(async () => (await api.call('GET', '/api/settings')).api_key_auth_enabled, soon);
  for (const { api } of nodes) await vi.waitUntil(async () => (await api.keys()).length === 1, soon);

  // Served, tried again on another account, cooling after it, repeated with a pin, and refused by the limit: on every node.
  let served = 0;
  const ask = async (node: ClusterNode, sent: Record<string, string>) => {
    if ((await node.ask(sent)) === 200) served += 1;
  };
  const withoutSession = { authorization: headers.authorization };
  await ask(a, headers);
  // The conversation stays on its account, so its next request fails there first.
  const [pinned, other] = accounts.toSorted((one, two) => two.received.length - one.received.length);
  pinned?.next(serverError());
  other?.next(throttled({ retryAfter: 600 }));
  await ask(a, headers);
  for (const sent of [headers, withoutSession]) for (const node of [b, c]) await ask(node, sent);
  // A node whose share of the rest is too small refuses before the limit is used up.
  await vi.waitFor(async () => {
    if ((await usedAt(a)) < LIMIT) await ask(a, withoutSession);
    expect(await usedAt(a)).toBeGreaterThanOrEqual(LIMIT);
  }, soon);
  for (const node of nodes) {
    await vi.waitUntil(async () => (await usedAt(node)) >= LIMIT, soon);
    expect(await node.ask(headers)).toBe(429);
  }
  await vi.waitUntil(async () => {
    const logs = await Promise.all(nodes.map(logAt));
    return logs.every((log) => log.served === served && String(log.ids) === String(logs[0]?.ids));
  }, soon);

  const { ids } = await logAt(a);
  const explained = new Map<string, unknown>();
  for (const id of ids) {
    const [byA, byB, byC] = await Promise.all(nodes.map((node) => explainedBy(node, id)));
    expect(byB).toEqual(byA);
    expect(byC).toEqual(byA);
    explained.set(id, byA);
  }
  const outcomes = [...explained.values()].map((each) => (each as { outcome: string }).outcome);
  expect(new Set(outcomes)).toEqual(new Set(['served', 'refused']));
  expect([...explained.values()].some((each) => (each as { attempts: unknown[] }).attempts.length > 1)).toBe(true);
  // A node that has started again folds its hot state from the log; on the command line there is none.
  await c.stop();
  const again = await cluster.inProcessNode('c');
  for (const [id, byA] of explained) expect(await explainedBy(again, id)).toEqual(byA);
  const [first = ''] = ids;
  const { stdout, exitCode } = await cluster.command('b', 'explain', first, '--json');
  expect({ exitCode, explained: JSON.parse(stdout[0] ?? '') }).toEqual({
    exitCode: 0,
    explained: explained.get(first),
  });
});
