import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { position } from '../../src/domain/core/brands.ts';
import type { RecordedEvent } from '../../src/eventLog/eventLog.ts';
import { createReader } from '../../src/eventLog/sqlite/reader.ts';
import { replayEvents } from '../../src/replay/replayEvents.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type ClusterNode, openCluster } from './cluster.ts';

const SLOW = { timeout: 180_000 };
const soon = { timeout: 30_000, interval: 20 };

/** Each request reserves 938 tokens and uses 1,000. */
const LIMIT = 28_000;
const USED = 1_000;
const body = { model: 'gpt-5.1', input: 'hi', max_output_tokens: 920, stream: true };

/** Nodes over one EventStoreDB, and three keys of one owner in one team, where the limit stands on `level`. */
async function openNodes(count: number, level: 'owner' | 'team') {
  const cluster = await openCluster();
  const account = cluster.provider.addAccount();
  account.always(
    textResponse({
      usage: { inputTokens: 20, cachedTokens: 0, outputTokens: 980, reasoningTokens: 0 },
      betweenMs: 150,
    }),
  );
  const nodes = await Promise.all(['a', 'b', 'c'].slice(0, count).map((name) => cluster.inProcessNode(name)));
  const [first] = nodes as [ClusterNode];
  await first.api.importAccount(account);
  const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: LIMIT }];
  const { id: team } = await first.api.call('POST', '/api/teams', {
    name: 'search',
    limits: level === 'team' ? limits : [],
  });
  if (level === 'owner') await first.api.call('PATCH', '/api/owners/Ada%20L', { limits });
  const path = level === 'team' ? `/api/teams/${team}` : '/api/owners/Ada%20L';
  const keys: string[] = [];
  for (const name of ['x', 'y', 'z'])
    keys.push((await first.api.call('POST', '/api/api-keys', { name, owner: 'Ada L', team })).key);
  await first.api.set({ api_key_auth_enabled: true });
  for (const { api } of nodes) {
    await vi.waitUntil(async () => (await api.call('GET', '/api/settings')).api_key_auth_enabled, soon);
    await vi.waitUntil(async () => (await api.call('GET', '/api/status')).nodes.length === count, soon);
  }

  /** Sends requests of all keys at once, to the nodes in turn. @returns how many were served */
  async function ask(requests: number): Promise<number> {
    const statuses = await Promise.all(
      Array.from({ length: requests }, async (_, index) => {
        const headers = { authorization: `Bearer ${keys[Math.floor(index / count) % keys.length]}` };
        const sent = await (nodes[index % count] as ClusterNode).send('POST', '/v1/responses', { body, headers });
        const text = await sent.text();
        if (sent.status === 429) expect(text).toContain(level === 'team' ? '"Team total' : '"Owner total');
        return sent.status;
      }),
    );
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 200).length;
  }
  const counted = async ({ api }: ClusterNode) => (await api.call('GET', path)).limits[0].current_value as number;
  return { cluster, nodes, ask, counted };
}

/** Percent of the limit that 90 requests at once of three keys use; every node counts the same, and the log replays. */
async function burst(count: number, level: 'owner' | 'team'): Promise<number> {
  const { cluster, nodes, ask, counted } = await openNodes(count, level);
  const served = await ask(90);
  for (const node of nodes) await vi.waitUntil(async () => (await counted(node)) === served * USED, soon);
  const reader = createReader(join(await cluster.folderOf('a'), 'mirror.sqlite'));
  const { events } = reader.page(position(0), reader.head());
  reader.close();
  const report = replayEvents([...events] as RecordedEvent[]);
  expect(report.differences).toEqual([]);
  expect(report.admissions).toBeGreaterThanOrEqual(served);
  const used = Math.round((100 * served * USED) / LIMIT);
  // biome-ignore lint/suspicious/noConsole: the figures of the experiment
  console.info(`${count} node(s), limit of the ${level}: ${used} %`);
  return used;
}

test.each(['team', 'owner'] as const)(
  'lets three nodes use at most 20 points more of a limit of the %s than one',
  async (level) => {
    const one = await burst(1, level);
    expect(one).toBeGreaterThanOrEqual(100);
    expect(await burst(3, level)).toBeLessThanOrEqual(one + 20);
  },
  SLOW.timeout,
);
