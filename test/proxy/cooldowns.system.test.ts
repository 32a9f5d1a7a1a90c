import { afterEach, expect, test, vi } from 'vitest';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import {
  serverError,
  streamCut,
  streamSilent,
  textResponse,
  throttled,
  usageLimitReached,
} from '../support/provider/scripts.ts';

let gateway: Gateway;
let clock: { mockRestore(): void } | undefined;
afterEach(async () => {
  clock?.mockRestore();
  await gateway?.stop();
});

test('doubles the cool-down with each failure and resets it with a success', async () => {
  gateway = await startGateway();
  const [only] = gateway.pool;
  if (!only) throw new Error('no account');
  let now = Date.now();
  clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
  /** Waits until the cool-down has passed. @returns its length */
  const coolsForMs = async () => {
    only.at.next(serverError());
    expect((await gateway.ask()).status).toBe(502);
    const { state, until } = await gateway.availability(only.id);
    expect(state).toBe('cooling');
    const lengthMs = Date.parse(until) - now;
    now += lengthMs;
    expect(await gateway.availability(only.id)).toMatchObject({ state: 'available' });
    return lengthMs;
  };

  const before = [await coolsForMs(), await coolsForMs(), await coolsForMs()];
  only.at.next(textResponse());
  const response = await gateway.ask();
  expect(await response.text()).toContain('response.completed');
  const after = [await coolsForMs(), await coolsForMs()];
  expect({ before, after }).toEqual({ before: [1_000, 2_000, 4_000], after: [1_000, 2_000] });
});

test('keeps a cool-down over a restart', async () => {
  gateway = await startGateway();
  const [only] = gateway.pool;
  only?.at.next(throttled({ shape: 'error', retryAfter: 600 }));
  expect((await gateway.ask()).status).toBe(429);
  const before = await gateway.availability(only?.id ?? '');
  expect(before).toMatchObject({ state: 'cooling', reason: 'throttled' });
  await gateway.restart();
  expect(await gateway.availability(only?.id ?? '')).toEqual(before);
  expect((await gateway.ask()).status).toBe(429);
  expect(gateway.asked()).toHaveLength(1);
});

test('writes few events for many failures of an account, and one for its recovery', async () => {
  gateway = await startGateway();
  const [only] = gateway.pool;
  if (!only) throw new Error('no account');
  only.at.always(streamCut({ deltas: 1 }));
  await Promise.all(Array.from({ length: 50 }, async () => (await gateway.ask()).text()));
  expect(gateway.events('RequestCompleted')).toHaveLength(50);
  expect(gateway.events('AccountsCooled').length).toBeLessThanOrEqual(10);
  only.at.always(textResponse());
  for (let request = 0; request < 5; request++) expect(await (await gateway.ask()).text()).toContain('completed');
  expect(gateway.events('AccountRecovered')).toHaveLength(1);
});

test('calls an account again once the operator has reactivated it', async () => {
  gateway = await startGateway();
  const [only] = gateway.pool;
  only?.at.next(throttled({ shape: 'error', retryAfter: 600 }));
  expect((await gateway.ask()).status).toBe(429);
  await gateway.api('POST', `/api/accounts/${only?.id}/pause`);
  await gateway.api('POST', `/api/accounts/${only?.id}/reactivate`);
  only?.at.always(textResponse());
  expect((await gateway.ask()).status).toBe(200);
});

test('writes a limit before the request that met it has ended', async () => {
  gateway = await startGateway({ accounts: 2 });
  const [limited, serving] = gateway.pool;
  limited?.at.next(usageLimitReached({ resetsInSeconds: 3_600 }));
  serving?.at.always(streamSilent({ events: 5 }));
  const leaving = new AbortController();
  await gateway.ask(validRequest, { signal: leaving.signal });
  await expect.poll(() => gateway.events('AccountsCooled').length).toBe(1);
  expect(await gateway.availability(limited?.id ?? '')).toMatchObject({ state: 'cooling', reason: 'usage_limit' });
  expect(gateway.events('RequestCompleted')).toEqual([]);
  leaving.abort();
  await expect
    .poll(async () => (await gateway.availability(limited?.id ?? '')).state, { timeout: 5_000 })
    .toBe('rate_limited');
});
