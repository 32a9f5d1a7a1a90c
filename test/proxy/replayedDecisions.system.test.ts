import { afterEach, expect, test } from 'vitest';
import { replayEvents } from '../../src/replay/replayEvents.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import {
  failureAsFirstEvent,
  type ResponseScript,
  requestRefused,
  serverError,
  streamCut,
  textResponse,
  throttled,
  usageLimitReached,
} from '../support/provider/scripts.ts';
import { seededRandom } from '../support/random.ts';
import { recordedEvents } from '../support/recordedEvents.ts';

let gateway: Gateway;
afterEach(() => gateway?.stop());

const REQUESTS = 3_000;
const CLIENTS = 24;
const SEED = 20_261_121;

test('replays every choice and every admission from the log with the same result', async () => {
  const random = seededRandom(SEED);
  gateway = await startGateway({ accounts: 8 });
  const keys: string[] = [];
  for (const limits of [
    [],
    [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 15_000 }],
    [{ limit_type: 'cost_usd', limit_window: 'weekly', max_value: 1 }],
  ]) {
    const { body } = await gateway.api('POST', '/api/api-keys', { name: `key ${keys.length}`, limits });
    keys.push(body.key);
  }
  await gateway.set({ api_key_auth_enabled: true });

  const success = textResponse({ usage: { inputTokens: 40, cachedTokens: 10, outputTokens: 30, reasoningTokens: 5 } });
  const rare: [number, () => ResponseScript][] = [
    [0.02, () => throttled({ shape: 'error' })],
    [0.04, () => serverError({ status: 503, body: 'empty' })],
    [0.05, () => usageLimitReached({ resetsInSeconds: 2 })],
    [0.07, () => failureAsFirstEvent({ code: 'server_error' })],
    [0.09, () => requestRefused({ shape: 'detail' })],
    [0.11, () => streamCut({ deltas: 1 })],
  ];
  for (const { at } of gateway.pool) {
    at.always(success);
    for (let index = 0; index < REQUESTS / 8; index++) {
      const drawn = random();
      at.next(rare.find(([below]) => drawn < below)?.[1]() ?? success);
    }
  }

  let sent = 0;
  const statuses = new Map<number, number>();
  const client = async () => {
    while (sent < REQUESTS) {
      const number = sent++;
      const key = keys[random() < 0.7 ? 0 : random() < 0.5 ? 1 : 2];
      const thread = random() < 0.6 ? { prompt_cache_key: `thread ${Math.floor(random() * 40)}` } : {};
      const response = await gateway.ask(
        { ...validRequest, ...thread },
        { headers: { authorization: `Bearer ${key}` } },
      );
      await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      // Strategies, stickiness and accounts change meanwhile.
      if (number % 400 === 100) await gateway.set({ routing_strategy: 'round_robin' });
      if (number % 400 === 250)
        await gateway.set({ routing_strategy: 'usage_weighted', prefer_earlier_reset_accounts: number % 800 > 400 });
      if (number % 500 === 200) await gateway.api('POST', `/api/accounts/${gateway.pool[number % 8]?.id}/pause`);
      if (number % 500 === 300)
        await gateway.api('POST', `/api/accounts/${gateway.pool[(number - 100) % 8]?.id}/reactivate`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));

  const events = await recordedEvents(gateway.folder).catch(() => []);
  const completed = events.filter(({ type }) => type === 'RequestCompleted');
  const report = replayEvents(events);
  process.stdout.write(
    `  seed ${SEED}: ${REQUESTS} requests (${[...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')}), ` +
      `${completed.length} completed, ${report.choices} choices and ${report.admissions} admissions replayed, ${report.differences.length} differ\n`,
  );
  expect(report.differences).toEqual([]);
  expect(completed.length).toBeGreaterThan(REQUESTS / 2);
  expect(report.choices).toBeGreaterThan(completed.length);
  expect(report.admissions).toBeGreaterThan(500);
  expect(statuses.get(429)).toBeGreaterThan(0);
}, 120_000);
