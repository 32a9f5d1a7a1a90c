import { afterEach, describe, expect, test, vi } from 'vitest';
import { replayEvents } from '../../src/replay/replayEvents.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { delayed, noResponse, serverError, streamSilent, textResponse } from '../support/provider/scripts.ts';
import { recordedEvents } from '../support/recordedEvents.ts';
import { waitOptions } from '../support/waitOptions.ts';

const DAY_MS = 86_400_000;

let gateway: Gateway;
let clock: { mockRestore(): void } | undefined;
afterEach(async () => {
  clock?.mockRestore();
  await gateway?.stop();
});

const INPUT = 400;
const OUTPUT = 600;
const usage = { inputTokens: INPUT, cachedTokens: 0, outputTokens: OUTPUT, reasoningTokens: 0 };

async function withKey(limit: Record<string, unknown>) {
  gateway = await startGateway();
  const { body: key } = await gateway.api('POST', '/api/api-keys', {
    name: 'limited',
    limits: [{ limit_window: 'daily', ...limit }],
  });
  await gateway.set({ api_key_auth_enabled: true });
  const headers = { authorization: `Bearer ${key.key}` };
  const limits = async () => (await gateway.api('GET', '/api/api-keys')).body[0].limits[0];
  return {
    ask: (body: object = validRequest, signal?: AbortSignal) =>
      gateway.ask(body, { headers, ...(signal && { signal }) }),
    limits,
  };
}

const settled = () => gateway.events('RequestCompleted').map(({ data }) => data);

const minute = () => Math.floor(Date.now() / 60_000);

describe('two hundred requests at once', () => {
  // gpt-5.1 costs 1.25 and 10 dollars per 1,000,000 tokens.
  test.each([
    ['a token limit', { limit_type: 'total_tokens', max_value: 20_000 }, usage, INPUT + OUTPUT, 20_000],
    ['a dollar limit', { limit_type: 'cost_usd', max_value: 1 }, { ...usage, outputTokens: 2_400 }, 24_500, 1_000_000],
  ])('never pass %s once usage and reservations have reached it', async (name, limit, scaled, perRequest, ceiling) => {
    const { ask, limits } = await withKey(limit);
    gateway.pool[0]?.at.always(delayed(150, textResponse({ usage: scaled })));

    const startMinute = minute();
    const responses = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const response = await ask();
        return { status: response.status, text: await response.text() };
      }),
    );
    const admitted = responses.filter(({ status }) => status === 200).length;
    const refused = responses.filter(({ status }) => status === 429);
    expect(admitted + refused.length).toBe(200);
    expect(admitted).toBeGreaterThan(0);
    for (const { text } of refused) expect(JSON.parse(text).error.code).toBe('rate_limit_exceeded');

    // Admitted requests keep their reservations until they settle, so only usage beyond a reservation can exceed the limit;
    // the last one may have been admitted with less left than it needed.
    const used = admitted * perRequest;
    const estimates = settled().map(({ admission }) => {
      const { inputTokens = 0, outputTokens = 0, costMicroDollars = 0 } = admission?.estimate ?? {};
      return limit.limit_type === 'cost_usd' ? costMicroDollars : inputTokens + outputTokens;
    });
    const beyondReservations = estimates.reduce((sum, estimate) => sum + Math.max(0, perRequest - estimate), 0);
    const overshoot = Math.max(0, used - ceiling);
    expect(overshoot).toBeLessThanOrEqual(beyondReservations + perRequest);

    const { current_value: current, reserved_value: reserved, current_cost_usd: exact } = await limits();
    expect(reserved).toBe(0);
    expect(limit.limit_type === 'cost_usd' ? Math.round(exact * 1e6) : current).toBe(used);
    // Up to sixty refusals a minute are events of their own, and a minute may have ended meanwhile.
    const rows = gateway.events('RequestRefused').length;
    expect(rows).toBeGreaterThanOrEqual(Math.min(60, refused.length));
    expect(rows).toBeLessThanOrEqual(Math.min(60 * (minute() - startMinute + 1), refused.length));
    process.stdout.write(
      `  200 at once against ${name} of ${ceiling}: ${admitted} admitted, ${refused.length} refused, used ${used}, overshoot ${overshoot}\n`,
    );
  });
});

test('admits requests one after the other until the limit is used up', async () => {
  const { ask, limits } = await withKey({ limit_type: 'total_tokens', max_value: 2_500 });
  gateway.pool[0]?.at.always(textResponse({ usage }));
  const statuses: number[] = [];
  for (let index = 0; index < 5; index++) {
    const response = await ask();
    await response.text();
    statuses.push(response.status);
  }
  // 1000 and 2000 are below the limit, so a third request is admitted although its estimate would not fit.
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  expect((await limits()).current_value).toBe(3_000);
});

test('names the limit and its reset in the refusal, without a long Retry-After', async () => {
  const { ask } = await withKey({ limit_type: 'total_tokens', max_value: 1 });
  await (await ask()).text();
  const response = await ask();
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  expect(response.status).toBe(429);
  expect(error.message).toMatch(/^API key total_tokens daily limit exceeded\. Usage resets at \d{4}-/);
  expect(error).toMatchObject({ type: 'rate_limit_error', code: 'rate_limit_exceeded' });
  const [refused] = gateway.events('RequestRefused').map(({ data }) => data);
  const [{ id }] = (await gateway.api('GET', '/api/api-keys')).body;
  expect(refused?.limit).toMatchObject({ level: 'key', subject: id, ruleId: 1, ceiling: 1 });
  expect(refused?.decidedAt).toBe(refused?.admission?.decidedAt);
  expect(error.resets_in_seconds).toBeGreaterThan(86_000);
  expect(response.headers.get('retry-after')).toBeNull();
});

test('applies a rule for one model to that model only', async () => {
  const { ask } = await withKey({ limit_type: 'total_tokens', max_value: 1, model_filter: 'gpt-5.1' });
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(429);
  expect((await ask({ ...validRequest, model: 'gpt-5.2' })).status).toBe(200);
});

describe('clients that disconnect', () => {
  test('release their reservation', async () => {
    const { ask, limits } = await withKey({ limit_type: 'total_tokens', max_value: 5_000 });
    const [only] = gateway.pool;
    only?.at.always(noResponse());
    const controllers = Array.from({ length: 2 }, () => new AbortController());
    const responses = controllers.map(({ signal }) => ask(validRequest, signal).catch(() => undefined));
    await vi.waitUntil(() => (only?.at.inFlight ?? 0) === 2, waitOptions);
    const reservations = async () => (await gateway.api('GET', '/api/status')).body.reservations.requests;
    expect(await reservations()).toBe(2);
    for (const controller of controllers) controller.abort();
    await Promise.all(responses);
    await vi.waitUntil(() => settled().length === 2, waitOptions);
    await vi.waitUntil(async () => (await reservations()) === 0, waitOptions);
    expect((await limits()).reserved_value).toBe(0);
    only?.at.always(textResponse({ usage }));
    expect((await ask()).status).toBe(200);
  });

  test('are charged for what they sent and received', async () => {
    const { ask, limits } = await withKey({ limit_type: 'total_tokens', max_value: 100_000 });
    gateway.pool[0]?.at.always(streamSilent({ events: 6 }));
    const controller = new AbortController();
    const response = await ask(validRequest, controller.signal);
    await response.body?.getReader().read();
    controller.abort();
    await vi.waitUntil(() => settled().length === 1, waitOptions);
    const [request] = settled();
    expect(request?.usage).toMatchObject({ isEstimated: true });
    expect(request?.usage?.outputTokens).toBeGreaterThan(0);
    const { current_value: current } = await limits();
    expect(current).toBe((request?.usage?.inputTokens ?? 0) + (request?.usage?.outputTokens ?? 0));
    expect(current).toBeGreaterThan(0);
  });
});

test.each([
  ['an absurd max_output_tokens', { max_output_tokens: 1e300 }, 200],
  ['a lone surrogate as model', { model: 'gpt\ud800' }, 400],
  ['a lone surrogate as effort', { reasoning: { effort: '\ud800' } }, 400],
])('%s does not bypass the limits', async (_what, fields, status) => {
  const { ask, limits } = await withKey({ limit_type: 'total_tokens', max_value: 5_000 });
  gateway.pool[0]?.at.always(textResponse({ usage }));
  const response = await ask({ ...validRequest, ...fields });
  expect(response.status).toBe(status);
  expect(await response.text()).not.toContain('log_unavailable');
  expect((await limits()).current_value).toBe(status === 200 ? INPUT + OUTPUT : 0);
});

test('counts nothing for a request that failed before any output', async () => {
  const { ask, limits } = await withKey({ limit_type: 'total_tokens', max_value: 5_000 });
  gateway.pool[0]?.at.always(serverError({ status: 500, body: 'html' }));
  expect((await ask()).status).toBe(502);
  expect(await limits()).toMatchObject({ current_value: 0, reserved_value: 0 });
});

test('reserves and counts a request only in the window in which it was admitted', async () => {
  const { ask, limits } = await withKey({ limit_type: 'total_tokens', max_value: 2_000 });
  const [only] = gateway.pool;
  only?.at.always(noResponse());
  const controller = new AbortController();
  const open = ask(validRequest, controller.signal).catch(() => undefined);
  await vi.waitUntil(() => only?.at.inFlight === 1, waitOptions);
  expect((await ask()).status).toBe(429);

  const today = Date.now.bind(Date);
  clock = vi.spyOn(Date, 'now').mockImplementation(() => today() + DAY_MS);
  only?.at.always(textResponse({ usage }));
  expect(await limits()).toMatchObject({ current_value: 0, reserved_value: 0 });
  expect((await ask()).status).toBe(200);
  controller.abort();
  await open;
  await vi.waitUntil(() => settled().length === 2, waitOptions);
  expect(await limits()).toMatchObject({ current_value: INPUT + OUTPUT, reserved_value: 0 });

  expect(replayEvents(await recordedEvents(gateway.folder))).toMatchObject({ admissions: 3, differences: [] });
});

test('announces a long request and shows its reservation apart from the usage', async () => {
  const { ask, limits } = await withKey({ limit_type: 'total_tokens', max_value: 50_000 });
  gateway.pool[0]?.at.always(streamSilent({ events: 3 }));
  const controller = new AbortController();
  const response = await ask(validRequest, controller.signal);
  await response.body?.getReader().read();
  await vi.waitUntil(() => gateway.events('RequestAdmitted').length === 1, { timeout: 15_000 });
  const [admitted] = gateway.events('RequestAdmitted');
  expect(admitted?.data).toMatchObject({ model: 'gpt-5.1', route: '/backend-api/svc/responses' });
  expect(await limits()).toMatchObject({ current_value: 0 });
  expect((await limits()).reserved_value).toBeGreaterThan(2_000);
  controller.abort();
  await vi.waitUntil(() => settled().length === 1, waitOptions);
});
