import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type GatewayOptions, startGateway, validRequest } from '../support/gateway.ts';
import { textResponse } from '../support/provider/scripts.ts';

const USED = { inputTokens: 1_000, cachedTokens: 800, outputTokens: 100, reasoningTokens: 60 };

const fileWith = (models: object[], since = '2026-12-01') => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'prices.json');
  writeFileSync(path, JSON.stringify({ since, models }));
  return path;
};

async function start(options: GatewayOptions = {}) {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.stop());
  gateway.pool[0]?.at.always(textResponse({ usage: USED }));
  /** Sends a request. @returns its cost in dollars, from the request log */
  const cost = async (fields: object = {}) => {
    await (await gateway.ask({ ...validRequest, ...fields })).text();
    const [row] = await gateway.logs();
    return row.cost_usd;
  };
  const completed = () => gateway.events('RequestCompleted').map(({ data }) => data);
  const published = () => gateway.events('PricesPublished').map(({ data }) => data);
  return { gateway, cost, completed, published };
}

test('prices input, cached input and output separately', async () => {
  const { cost } = await start();
  expect(await cost({ model: 'gpt-5.1' })).toBe((200 * 1.25 + 800 * 0.125 + 100 * 10) / 1e6);
});

test('logs no cost for a model without a price', async () => {
  const { gateway, cost, completed } = await start();
  expect(await cost({ model: 'brand-new' })).toBeNull();
  expect(completed()).toMatchObject([{ costMicroDollars: null, priceVersion: null }]);
  const { body } = await gateway.api('GET', '/api/dashboard/overview');
  expect(body.usageSummary).toMatchObject({ totalCost: 0, totalTokens: 1_100 });
});

test('reads prices and a reasoning multiplier from a file', async () => {
  const path = fileWith([
    { model: 'gpt-5.1*', input: 2, output: 20, reasoningMultiplier: 1.5 },
    { model: 'brand-new', input: 1, cachedInput: 0.5, output: 3 },
  ]);
  const { gateway, cost, completed } = await start({ env: { SVC_PRICES_FILE: path } });
  expect(await cost({ model: 'gpt-5.1' })).toBe((1_000 * 2 + 40 * 20 + 60 * 30) / 1e6);
  expect(await cost({ model: 'brand-new' })).toBe((200 * 1 + 800 * 0.5 + 100 * 3) / 1e6);
  expect(await cost({ model: 'gpt-5.5' })).toBe((200 * 5 + 800 * 0.5 + 100 * 30) / 1e6);
  for (const { priceVersion } of completed()) expect(priceVersion).toMatch(/^2026-12-01\.[0-9a-f]{8}$/);
  const { body } = await gateway.api('GET', '/api/models');
  expect(body.models).toContainEqual({ id: 'brand-new', name: 'brand-new' });
});

test('prices the service tier that was served, not the requested one', async () => {
  const { gateway, cost, completed } = await start();
  const standard = 200 * 1.25 + 800 * 0.125 + 100 * 10;
  expect(await cost({ service_tier: 'priority' })).toBe((2 * standard) / 1e6);
  expect(await cost({ service_tier: 'flex' })).toBe(standard / 2 / 1e6);
  expect(completed().map(({ serviceTier }) => serviceTier)).toEqual(['priority', 'flex']);
  const script = textResponse({ usage: USED });
  const downgraded = (request: Parameters<Exclude<typeof script.steps, readonly unknown[]>>[0]) =>
    (script.steps as Exclude<typeof script.steps, readonly unknown[]>)({
      ...request,
      json: { ...request.json, service_tier: 'default' },
    });
  gateway.pool[0]?.at.next({ ...script, steps: downgraded });
  expect(await cost({ service_tier: 'priority' })).toBe(standard / 1e6);
  expect(completed().at(-1)?.serviceTier).toBeUndefined();
});

test('records the version of the prices with a request, and the prices in the log', async () => {
  const { gateway, cost, completed, published } = await start();
  await cost();
  const [prices, ...others] = published();
  expect(others).toEqual([]);
  expect(prices).toMatchObject({ from: null, to: expect.stringMatching(/^\d{4}-\d\d-\d\d\.[0-9a-f]{8}$/) });
  expect(completed()).toMatchObject([{ priceVersion: prices?.to }]);
  await gateway.restart();
  expect(published()).toHaveLength(1);
});

test('records a change of prices between two starts with both versions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const first = await startGateway({ folder, accounts: 0 });
  await first.stop();
  const path = fileWith([{ model: 'gpt-5.1*', input: 2, output: 20 }]);
  const { gateway, published } = await start({ folder, accounts: 0, env: { SVC_PRICES_FILE: path } });
  const [built, ours] = published();
  expect(ours).toMatchObject({ from: built?.to, to: expect.stringMatching(/^2026-12-01\./) });
  expect(ours?.models).toContainEqual({ model: 'gpt-5.1*', input: 2, cachedInput: 2, output: 20 });
  const { body } = await gateway.api('GET', '/api/history?type=PricesPublished');
  expect(body.events).toMatchObject([{ actor: { kind: 'system', reason: 'prices of this start' } }, {}]);
});
