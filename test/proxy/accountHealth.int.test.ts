import { expect, test, vi } from 'vitest';
import { type Gateway, type GatewayOptions, validRequest } from '../support/gateway.ts';
import { gateways } from '../support/gateways.ts';
import {
  endDelayedUntil,
  requestRefused,
  serverError,
  startingTogether,
  textResponse,
  usageLimitReached,
} from '../support/provider/scripts.ts';
import { waitOptions } from '../support/waitOptions.ts';

// What operators see of an account that fails while it counts as available.

let gateway: Gateway;
const next = gateways();

async function start(options: GatewayOptions = {}) {
  gateway = await next({ accounts: 2, ...options });
  const [first, second] = gateway.pool as [Gateway['pool'][number], Gateway['pool'][number]];
  await gateway.set({ sticky_threads_enabled: false });
  return { first, second };
}

const askTogether = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const response = await gateway.ask();
      await response.text();
      return response.status;
    }),
  );
const accountOf = async (id: string, query = '') =>
  (await gateway.api('GET', `/api/accounts${query}`)).body.accounts.find(
    (account: { account_id: string }) => account.account_id === id,
  );
const healthOf = async (id: string, query = '') => (await accountOf(id, query)).health;

test('an account that responds with 500 to everything is failing, with rate and last failure', async () => {
  const { first, second } = await start();
  expect(await healthOf(first.id)).toEqual({
    state: 'unknown',
    failure_rate: null,
    attempts: 0,
    failures: 0,
    window_minutes: 60,
    last_failure: null,
  });
  expect(await askTogether(1)).toEqual([200]);
  first.at.always(startingTogether(3, serverError({ status: 500, body: 'html' })));
  expect(await askTogether(3)).toEqual([200, 200, 200]);
  const { requestId } = gateway.events('RequestCompleted').at(-1)?.data ?? {};
  const health = await healthOf(first.id);
  expect(health).toMatchObject({ state: 'failing', failure_rate: 75, attempts: 4, failures: 3 });
  expect(health.last_failure).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    class: 'provider_error',
    code: null,
    provider_status: 500,
    errno: null,
    request_id: requestId,
  });
  expect(await healthOf(second.id)).toMatchObject({ state: 'healthy', failure_rate: 0, attempts: 3 });
  const { body: status } = await gateway.api('GET', '/api/status');
  expect(status.problems).toMatchObject([{ code: 'account_failing', subject: first.id }]);
  // Said when more than half of the attempts had failed.
  const said = gateway.output.filter((line) =>
    line.includes(`Account ${first.id} is failing: 2 of its last 3 attempts`),
  );
  expect(said).toHaveLength(1);
});

test('health survives a restart, and one success ends the failing state', async () => {
  const { first } = await start({ env: {} });
  first.at.always(startingTogether(3, serverError()));
  await askTogether(3);
  const before = await healthOf(first.id);
  expect(before.state).toBe('failing');
  await gateway.restart();
  expect(await healthOf(first.id)).toEqual(before);
  first.at.always(textResponse({ text: 'Hello' }));
  await expect
    .poll(async () => {
      await askTogether(1);
      return (await healthOf(first.id)).state;
    }, waitOptions)
    .toBe('healthy');
  expect((await healthOf(first.id)).last_failure).toEqual(before.last_failure);
});

test('an earlier moment shows the health of that moment', async () => {
  const { first } = await start();
  first.at.always(startingTogether(3, serverError()));
  await askTogether(3);
  const position = (await gateway.logs())[0].position;
  const then = await healthOf(first.id, `?at=${position}`);
  expect(then).toMatchObject({ state: 'failing', failures: 3 });
  await gateway.api('POST', `/api/accounts/${first.id}/pause`);
  await gateway.api('POST', `/api/accounts/${first.id}/reactivate`);
  expect(await healthOf(first.id)).toMatchObject({ state: 'unknown', attempts: 0, last_failure: then.last_failure });
  expect(await healthOf(first.id, `?at=${position}`)).toEqual(then);
});

test("the client's faults and a reported limit are not failures of the account", async () => {
  const { first } = await start();
  first.at.always(requestRefused({ shape: 'error', code: 'invalid_request_error' }));
  expect(await askTogether(4)).toEqual([400, 400, 400, 400]);
  const leaving = new AbortController();
  first.at.always(endDelayedUntil(new Promise(() => undefined), textResponse({ text: 'Hello' })));
  await gateway.ask(validRequest, { signal: leaving.signal });
  leaving.abort();
  await vi.waitUntil(() => gateway.events('RequestCompleted').length === 5, waitOptions);
  first.at.always(usageLimitReached({}));
  expect(await askTogether(1)).toEqual([200]);
  const outcomes = gateway
    .events('RequestCompleted')
    .flatMap(({ data }) => data.attempts.map(({ outcome }) => outcome));
  expect(new Set(outcomes)).toEqual(new Set(['request_refused', 'client_gone', 'usage_limit', 'ok']));
  expect(await healthOf(first.id)).toMatchObject({ state: 'unknown', attempts: 0, last_failure: null });
});
