import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { position } from '../../src/domain/core/brands.ts';
import type { RecordedEvent } from '../../src/eventLog/eventLog.ts';
import { createReader } from '../../src/eventLog/sqlite/reader.ts';
import { replayEvents } from '../../src/replay/replayEvents.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type ClusterNode, openCluster } from './cluster.ts';

const SLOW = { timeout: 180_000 };
const soon = { timeout: 60_000, interval: 20 };

/** Each request reserves 938 tokens and uses 1,000. */
const RESERVED = 938;
const USED = 1_000;
const body = { model: 'gpt-5.1', input: 'hi', max_output_tokens: 920, stream: true };
const usage = { inputTokens: 20, cachedTokens: 0, outputTokens: 980, reasoningTokens: 0 };
const daily = (max_value: number) => [{ limit_type: 'total_tokens', limit_window: 'daily', max_value }];

/** Room of each holder of limits: one key, one owner and the team have less than their requests want. */
const TEAM = 24_000;
const OWNERS = { Ada: 9_000, Bea: 60_000 };
const KEYS = [
  { name: 'narrow', owner: 'Ada', limit: 4_000 },
  { name: 'wide', owner: 'Ada', limit: 60_000 },
  { name: 'other', owner: 'Bea', limit: 60_000 },
] as const;
const NODES = ['a', 'b', 'c'];
const PER_KEY = 40;

/** What one node would admit, and at most one request more for each further node (docs/decisions/0062-shared-limits.md). */
const mostServed = (limit: number) => Math.ceil(limit / RESERVED) + NODES.length - 1;

test('holds limits of key, owner and team for 120 requests at once over three nodes', SLOW, async () => {
  const cluster = await openCluster();
  const account = cluster.provider.addAccount();
  account.always(textResponse({ usage, betweenMs: 150 }));
  const nodes = await Promise.all(NODES.map((name) => cluster.inProcessNode(name)));
  const [first] = nodes as [ClusterNode];
  const { call } = first.api;
  await first.api.importAccount(account);
  const { id: team } = await call('POST', '/api/teams', { name: 'search', limits: daily(TEAM) });
  for (const [owner, limit] of Object.entries(OWNERS)) {
    await call('PATCH', `/api/owners/${owner}`, { limits: daily(limit) });
  }
  const keys: { id: string; key: string }[] = [];
  for (const { name, owner, limit } of KEYS) {
    keys.push(await call('POST', '/api/api-keys', { name, owner, team, limits: daily(limit) }));
  }
  await first.api.set({ api_key_auth_enabled: true });
  for (const { api } of nodes) {
    await vi.waitUntil(async () => (await api.call('GET', '/api/settings')).api_key_auth_enabled, soon);
    await vi.waitUntil(async () => (await api.call('GET', '/api/status')).nodes.length === NODES.length, soon);
  }

  const served = KEYS.map(() => 0);
  const refusedBy = new Set<string>();
  /** Sends requests of each key at once, spread over the nodes. @returns how many were served, and how many only a share refused */
  async function burst(perKey: number): Promise<{ served: number; later: number; levels: Set<string>[] }> {
    let later = 0;
    /** The levels that refused requests of each key. */
    const levels = KEYS.map(() => new Set<string>());
    const all = KEYS.flatMap((_, key) => Array.from({ length: perKey }, (__, index) => ({ key, index })));
    const results = await Promise.all(
      all.map(async ({ key, index }) => {
        const headers = { authorization: `Bearer ${keys[key]?.key}` };
        const sent = await (nodes[index % nodes.length] as ClusterNode).send('POST', '/v1/responses', {
          body,
          headers,
        });
        const text = await sent.text();
        if (sent.status === 200) served[key] = (served[key] ?? 0) + 1;
        else if (sent.headers.get('retry-after') === '1') later += 1;
        else levels[key]?.add(/"(API key|Owner|Team) total_tokens daily limit/.exec(text)?.[1] ?? text);
        return sent.status;
      }),
    );
    expect(results.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    for (const level of levels.flatMap((of) => [...of])) refusedBy.add(level);
    return { served: results.filter((status) => status === 200).length, later, levels };
  }
  const shown = async ({ api }: ClusterNode) => {
    const used = ({ limits }: { limits: { current_value: number; reserved_value: number }[] }) =>
      limits.map(({ current_value, reserved_value }) => [current_value, reserved_value])[0];
    const listed: { id: string; limits: [] }[] = await api.call('GET', '/api/api-keys');
    return {
      keys: keys.map(({ id }) => used(listed.find((each) => each.id === id) as never)),
      owners: [used(await api.call('GET', '/api/owners/Ada')), used(await api.call('GET', '/api/owners/Bea'))],
      team: used(await api.call('GET', `/api/teams/${team}`)),
    };
  };
  const counts = (...of: number[]) => [of.reduce((sum, each) => sum + each, 0) * USED, 0];

  const { served: atOnce } = await burst(PER_KEY);
  // What only a share has refused is asked again, until the limits themselves refuse all: they can be used up over all nodes.
  await vi.waitUntil(
    async () => {
      const { served: more, later } = await burst(3);
      return more + later === 0;
    },
    { timeout: 90_000, interval: 1_000 },
  );
  const [narrow = 0, wide = 0, other = 0] = served;
  process.stdout.write(
    `  120 requests at once over three nodes: ${atOnce} served, ${narrow + wide + other} in all (keys ${served.join(', ')})\n`,
  );
  expect(narrow).toBeLessThanOrEqual(mostServed(KEYS[0].limit));
  expect(narrow + wide).toBeLessThanOrEqual(mostServed(OWNERS.Ada));
  expect(narrow + wide + other).toBeLessThanOrEqual(mostServed(TEAM));
  // Used up, and not one request less than a single node serves.
  expect((narrow + wide + other) * USED).toBeGreaterThanOrEqual(TEAM - USED);

  const expected = {
    keys: [counts(narrow), counts(wide), counts(other)],
    owners: [counts(narrow, wide), counts(other)],
    team: counts(narrow, wide, other),
  };
  for (const node of nodes) await vi.waitFor(async () => expect(await shown(node)).toEqual(expected), soon);

  // Which levels are used up depends on the order of the requests: of each key the first one that is used up refuses, and no
  // level has refused that is not.
  const usedUp = KEYS.map(({ owner, limit }, key) => {
    const ofOwner = KEYS.reduce((sum, other, at) => sum + (other.owner === owner ? (served[at] ?? 0) : 0), 0);
    return [
      ...((served[key] ?? 0) * USED >= limit ? ['API key'] : []),
      ...(ofOwner * USED >= OWNERS[owner] ? ['Owner'] : []),
      'Team',
    ];
  });
  const last = await burst(NODES.length);
  expect(last).toMatchObject({ served: 0, later: 0 });
  expect(last.levels.map((levels) => [...levels])).toEqual(usedUp.map(([first]) => [first]));
  expect(usedUp.flat()).toEqual(expect.arrayContaining([...refusedBy]));

  const reader = createReader(join(await cluster.folderOf('a'), 'mirror.sqlite'));
  const { events } = reader.page(position(0), reader.head());
  reader.close();
  const report = replayEvents([...events] as RecordedEvent[]);
  expect(report.differences).toEqual([]);
  expect(report.admissions).toBeGreaterThanOrEqual(narrow + wide + other);
});
