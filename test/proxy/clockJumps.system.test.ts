import { afterEach, describe, expect, test, vi } from 'vitest';
import { acceptClock } from '../../src/app/commands/accept/acceptClock.ts';
import { readConfig } from '../../src/app/config/config.ts';
import { replayEvents } from '../../src/replay/replayEvents.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { eventsIn } from '../support/provider/client.ts';
import { delayed, delayedUntil, serverError, streamSilent, textResponse } from '../support/provider/scripts.ts';
import { recordedEvents } from '../support/recordedEvents.ts';
import { waitOptions } from '../support/waitOptions.ts';

// The clock of the machine is corrected while requests are open, e.g. after sleep or after a start with a wrong time.

const HOUR_MS = 3_600_000;

let gateway: Gateway;
let clock: { mockRestore(): void } | undefined;
afterEach(async () => {
  clock?.mockRestore();
  await gateway?.stop();
});

/** Lets the clock of the machine differ by this much from the right time. */
function moveClock(byMs: number): void {
  clock?.mockRestore();
  const now = Date.now.bind(Date);
  clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + byMs);
}

test('continues a stream when the clock is set forward by an hour', async () => {
  gateway = await startGateway({ env: { SVC_STREAM_IDLE_TIMEOUT_SECONDS: '60' } });
  gateway.pool[0]?.at.always(textResponse({ text: 'two words', betweenMs: 1_000 }));
  const response = await gateway.ask();
  moveClock(HOUR_MS);
  expect(eventsIn(await response.text()).at(-1)?.event).toBe('response.completed');
});

test('notices a silent provider when the clock was set back by an hour', async () => {
  gateway = await startGateway({ env: { SVC_STREAM_IDLE_TIMEOUT_SECONDS: '1' } });
  gateway.pool[0]?.at.always(streamSilent({ events: 5 }));
  const response = await gateway.ask();
  moveClock(-HOUR_MS);
  expect(eventsIn(await response.text()).at(-1)?.data.response.error.code).toBe('stream_idle_timeout');
});

test('announces a long request in the log when the clock was set back', async () => {
  gateway = await startGateway();
  gateway.pool[0]?.at.always(streamSilent({ events: 5 }));
  const controller = new AbortController();
  await gateway.ask(validRequest, { signal: controller.signal });
  moveClock(-HOUR_MS);
  await expect.poll(() => gateway.events('RequestAdmitted').length, { timeout: 8_000 }).toBe(1);
  controller.abort();
});

test('ends a cool-down after its length even when the clock was set back', async () => {
  gateway = await startGateway();
  gateway.pool[0]?.at.always(serverError());
  expect((await gateway.ask()).status).toBe(502);
  moveClock(-HOUR_MS);
  gateway.pool[0]?.at.always(textResponse());
  expect((await gateway.ask()).status).toBe(200);
});

describe('a limit', () => {
  const usage = { inputTokens: 400, cachedTokens: 0, outputTokens: 600, reasoningTokens: 0 };

  /** A key for 3,000 tokens a day, when each request uses 1,000. */
  async function withKey() {
    gateway = await startGateway();
    const { body: key } = await gateway.api('POST', '/api/api-keys', {
      name: 'limited',
      limits: [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 3_000 }],
    });
    await gateway.set({ api_key_auth_enabled: true });
    gateway.pool[0]?.at.always(textResponse({ usage }));
    const askTimes = async (count: number) => {
      const statuses: number[] = [];
      for (let request = 0; request < count; request++) {
        const response = await gateway.ask(validRequest, { headers: { authorization: `Bearer ${key.key}` } });
        statuses.push(response.status);
        await response.text();
      }
      return statuses;
    };
    const limit = async (query = '') => (await gateway.api('GET', `/api/api-keys${query}`)).body[0].limits[0];
    return { askTimes, limit };
  }

  const times = (count: number, status: number) => Array.from({ length: count }, () => status);
  const replayed = async () => replayEvents(await recordedEvents(gateway.folder));

  test('stays used up when the clock is set back', async () => {
    const { askTimes, limit } = await withKey();
    expect(await askTimes(4)).toEqual([...times(3, 200), 429]);
    moveClock(-2 * HOUR_MS);
    expect(await askTimes(12)).toEqual(times(12, 429));
    expect((await limit()).current_value).toBe(3_000);
    expect((await replayed()).differences).toEqual([]);
  });

  test('counts what is used after the clock was set back', async () => {
    const { askTimes, limit } = await withKey();
    expect(await askTimes(1)).toEqual([200]);
    moveClock(-2 * HOUR_MS);
    expect(await askTimes(4)).toEqual([200, 200, 429, 429]);
    expect((await limit()).current_value).toBe(3_000);
    moveClock(0);
    expect(await askTimes(1)).toEqual([429]);
  });

  test('stays used up when the clock was two days ahead and is set back', async () => {
    const { askTimes, limit } = await withKey();
    moveClock(48 * HOUR_MS);
    expect(await askTimes(4)).toEqual([...times(3, 200), 429]);
    moveClock(0);
    expect(await askTimes(12)).toEqual(times(12, 429));
    const { current_value: used, reset_at: resetAt } = await limit();
    expect(used).toBe(3_000);
    expect(Date.parse(resetAt) - Date.now()).toBeGreaterThan(48 * HOUR_MS);
    expect((await replayed()).differences).toEqual([]);
  });

  test('that is created while the clock is behind counts at once', async () => {
    const { askTimes } = await withKey();
    await askTimes(1);
    moveClock(-2 * HOUR_MS);
    const [{ id }] = (await gateway.api('GET', '/api/api-keys')).body;
    const limits = [{ limit_type: 'input_tokens', limit_window: 'daily', max_value: 400 }];
    await gateway.api('PATCH', `/api/api-keys/${id}`, { limits });
    expect(await askTimes(3)).toEqual([200, 429, 429]);
  });

  test('shows the figures of a past position by the clock of the windows', async () => {
    const { askTimes, limit } = await withKey();
    await askTimes(2);
    moveClock(-2 * HOUR_MS);
    await askTimes(1);
    const position = gateway.events('RequestCompleted').at(-1)?.position;
    const { current_value, reset_at } = await limit();
    expect(current_value).toBe(3_000);
    expect(await limit(`?at=${position}`)).toMatchObject({ current_value, reset_at });
  });

  const events = () => gateway.events('ClockJumped').map(({ data }) => data);
  const problems = async (): Promise<string[]> =>
    (await gateway.api('GET', '/api/status')).body.problems.map(({ code }: { code: string }) => code);

  test('follows the clock again when an operator accepts it, and counts what was used meanwhile', async () => {
    const { askTimes, limit } = await withKey();
    expect(await askTimes(1)).toEqual([200]);
    moveClock(72 * HOUR_MS);
    expect(await askTimes(1)).toEqual([200]);
    moveClock(0);
    await expect.poll(problems, waitOptions).toContain('clock_behind_limits');
    const { status, body } = await gateway.api('POST', '/api/clock/accept');
    expect(status).toBe(200);
    expect(Math.abs(Date.parse(body.limits_time) - Date.now())).toBeLessThan(HOUR_MS);
    expect(await problems()).not.toContain('clock_behind_limits');
    const { current_value: used, reset_at: resetAt } = await limit();
    expect(used).toBe(2_000);
    expect(Date.parse(resetAt) - Date.now()).toBeLessThan(24 * HOUR_MS);
    expect(await askTimes(2)).toEqual([200, 429]);
    expect(gateway.events('ClockAccepted')).toHaveLength(1);
    expect((await replayed()).differences).toEqual([]);
  });

  test('counts a request of a clock ahead in the current window once the clock was accepted', async () => {
    const { askTimes, limit } = await withKey();
    moveClock(72 * HOUR_MS);
    expect(await askTimes(1)).toEqual([200]);
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    gateway.pool[0]?.at.always(delayedUntil(promise, textResponse({ usage })));
    const open = askTimes(1);
    await vi.waitUntil(() => gateway.asked().length === 2, waitOptions);
    moveClock(0);
    await gateway.api('POST', '/api/clock/accept');
    expect(await limit()).toMatchObject({ current_value: 1_000 });
    // The open request reserves the rest.
    expect(await askTimes(1)).toEqual([429]);
    answer();
    expect(await open).toEqual([200]);
    expect(await limit()).toMatchObject({ current_value: 2_000, reserved_value: 0 });
    expect(await askTimes(2)).toEqual([200, 429]);
    expect((await replayed()).differences).toEqual([]);
  });

  test('follows the clock again when only an open request was admitted by a clock ahead', async () => {
    const { askTimes, limit } = await withKey();
    gateway.pool[0]?.at.always(delayed(400, textResponse({ usage })));
    moveClock(72 * HOUR_MS);
    const open = askTimes(1);
    await vi.waitUntil(() => gateway.asked().length === 1, waitOptions);
    moveClock(0);
    await gateway.api('POST', '/api/clock/accept');
    expect(await open).toEqual([200]);
    const { current_value: used, reset_at: resetAt } = await limit();
    expect(used).toBe(1_000);
    expect(Date.parse(resetAt) - Date.now()).toBeLessThan(24 * HOUR_MS);
  });

  test('is by the windows only: a key expires by the clock, and no longer when that is right again', async () => {
    const { askTimes } = await withKey();
    const [{ id }] = (await gateway.api('GET', '/api/api-keys')).body;
    await gateway.api('PATCH', `/api/api-keys/${id}`, { expires_at: new Date(Date.now() + HOUR_MS).toISOString() });
    expect(await askTimes(1)).toEqual([200]);
    moveClock(48 * HOUR_MS);
    expect(await askTimes(1)).toEqual([401]);
    moveClock(0);
    expect(await askTimes(1)).toEqual([200]);
  });

  test('follows the clock again after svc accept-clock', async () => {
    const { askTimes, limit } = await withKey();
    moveClock(72 * HOUR_MS);
    expect(await askTimes(1)).toEqual([200]);
    moveClock(0);
    await gateway.stopService();
    const accept = () => acceptClock(readConfig({ SVC_DATA_DIR: gateway.folder }), { print: () => undefined });
    const { from = 0, to = 0 } = (await accept()) ?? {};
    expect(Math.round((from - to) / HOUR_MS)).toBe(72);
    expect(await accept()).toBeUndefined();
    await gateway.restart();
    expect((await limit()).current_value).toBe(1_000);
    expect(await problems()).not.toContain('clock_behind_limits');
  });

  test('a jump is an event and a problem that names both times', async () => {
    gateway = await startGateway();
    moveClock(-2 * HOUR_MS);
    await expect.poll(problems, waitOptions).toContain('clock_jumped');
    await expect.poll(events, waitOptions).toHaveLength(1);
    const [{ from, to } = { from: 0, to: 0 }] = events();
    expect(Math.round((from - to) / 60_000)).toBe(120);
    expect(gateway.output.filter((line) => line.includes('jumped back by 2 h'))).toHaveLength(1);
    moveClock(0);
    await expect.poll(events, waitOptions).toHaveLength(2);
  });

  test('a past time means the last position written by then, also after a clock was ahead', async () => {
    const { askTimes, limit } = await withKey();
    moveClock(48 * HOUR_MS);
    expect(await askTimes(1)).toEqual([200]);
    moveClock(0);
    await gateway.api('POST', '/api/clock/accept');
    await expect.poll(events, waitOptions).toHaveLength(2);
    expect(await askTimes(1)).toEqual([200]);
    const time = new Date().toISOString();
    await vi.waitUntil(() => Date.now() > Date.parse(time), waitOptions);
    expect(await askTimes(1)).toEqual([200]);
    expect(await limit(`?at=${time}`)).toMatchObject({ current_value: 2_000 });
    expect(await limit()).toMatchObject({ current_value: 3_000 });
  });

  test('a start by a clock that is behind the log is a jump', async () => {
    gateway = await startGateway();
    await gateway.stopService();
    moveClock(-2 * HOUR_MS);
    await gateway.restart();
    await expect.poll(events, waitOptions).toHaveLength(1);
    expect(await problems()).toContain('clock_jumped');
  });
});
