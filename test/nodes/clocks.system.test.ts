import { describe, expect, test, vi } from 'vitest';
import { fakeClock, whyNoFakeClock } from '../durability/support/fakeClock.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { type ClusterNode, openCluster } from './cluster.ts';

const DAY_MS = 86_400_000;
const SLOW = { timeout: 120_000 };
const soon = { timeout: 40_000, interval: 100 };
const usage = { inputTokens: 400, cachedTokens: 0, outputTokens: 600, reasoningTokens: 0 };

const why = whyNoFakeClock();

describe.skipIf(why)(`nodes with different clocks${why ? ` (skipped: ${why})` : ''}`, () => {
  test('a node two days ahead is named and does not move the windows of the others', SLOW, async () => {
    const cluster = await openCluster();
    const clock = await fakeClock();
    const account = cluster.provider.addAccount();
    account.always(textResponse({ usage }));
    const a = await cluster.inProcessNode('a');
    await a.api.importAccount(account);
    const limits = [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 500_000 }];
    const { key } = await a.api.call('POST', '/api/api-keys', { name: 'shared', limits });
    await a.api.set({ api_key_auth_enabled: true });
    const headers = { authorization: `Bearer ${key}` };
    expect(await a.ask(headers)).toBe(200);

    clock.set('+2d');
    const b = await cluster.node('b', clock.env);
    const problems = async ({ api }: ClusterNode): Promise<string[]> =>
      (await api.call('GET', '/api/status')).problems.map(
        ({ code, subject }: { code: string; subject: string | null }) =>
          subject === null ? code : `${code} ${subject}`,
      );
    const resetsInMs = async ({ api }: ClusterNode) =>
      Date.parse((await api.keys())[0]?.limits[0]?.reset_at ?? '') - Date.now();

    for (let round = 0; round < 5; round++) expect([await b.ask(headers), await a.ask(headers)]).toEqual([200, 200]);
    await vi.waitUntil(async () => (await problems(a)).includes('clock_of_node_differs b'), soon);
    await vi.waitUntil(async () => (await problems(b)).includes('clock_held'), soon);
    expect(await b.ask(headers)).toBe(200);
    await vi.waitUntil(async () => (await a.api.keys())[0]?.limits[0]?.current_value === 12_000, soon);
    expect(await resetsInMs(a)).toBeLessThan(DAY_MS);
    expect(await resetsInMs(b)).toBeLessThan(DAY_MS);
    expect((await b.api.keys())[0]?.limits[0]?.current_value).toBe(12_000);

    // Accepting the wrong clock would open windows that are used up.
    const accepted = await b.send('POST', '/api/clock/accept');
    const { error } = (await accepted.json()) as { error: { code: string; message: string } };
    expect({ status: accepted.status, code: error.code }).toEqual({ status: 409, code: 'clock_differs' });
    expect(error.message).toContain('that of node a is 2 days behind');
    expect(await resetsInMs(b)).toBeLessThan(DAY_MS);

    clock.set('+0');
    await vi.waitUntil(async () => !(await problems(a)).includes('clock_of_node_differs b'), soon);
    await vi.waitUntil(async () => !(await problems(b)).includes('clock_held'), soon);
    expect(await b.ask(headers)).toBe(200);
  });
});
