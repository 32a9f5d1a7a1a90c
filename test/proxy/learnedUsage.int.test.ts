import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { patiently } from '../support/patiently.ts';
import { usageLimitReached, usageWindow } from '../support/provider/scripts.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 2 });
});
afterAll(() => gateway.stop());

const usageOf = async (id: string) => {
  const { body } = await gateway.api('GET', '/api/accounts');
  return body.accounts.find(({ account_id }: { account_id: string }) => account_id === id)?.usage;
};

test('the answer to a request tells what is left of the account, without a poll', async () => {
  const [first] = gateway.pool;
  if (!first) throw new Error('no account');
  first.at.usage.primary = usageWindow({ usedPercent: 64 });
  await (await gateway.ask()).text();
  await vi.waitUntil(async () => (await usageOf(first.id)).primary_remaining_percent === 36, patiently);
  expect(first.at.received.filter(({ path }) => path === '/backend-api/wham/usage')).toHaveLength(1);
});

test('so does a refusal', async () => {
  const [first] = gateway.pool;
  if (!first) throw new Error('no account');
  first.at.usage.primary = usageWindow({ usedPercent: 100 });
  first.at.next(usageLimitReached());
  expect((await gateway.ask()).status).toBe(200);
  await vi.waitUntil(async () => (await usageOf(first.id)).primary_remaining_percent === 0, patiently);
});
