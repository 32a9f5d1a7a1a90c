import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../src/lib/log/log.ts';
import { startGateway } from '../support/gateway.ts';
import { json, serverError, textResponse, usageLimitReached } from '../support/provider/scripts.ts';

const HOSTILE = 'x\n2026-01-01T00:00:00.000Z info  forged\u001b[2J\u202e\u0085';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway({ accounts: 0, env: { SVC_USAGE_REFRESH_SECONDS: '1' } });
});
beforeEach(() => gateway.reset(1));
afterAll(() => gateway.stop());

const problems = async (): Promise<string[]> =>
  (await gateway.api('GET', '/api/status')).body.problems.map(({ code }: { code: string }) => code);
const lines = (pattern: RegExp) => gateway.output.filter((line) => pattern.test(line));
const soon = { timeout: 5_000, interval: 20 };

test('says that an account was deactivated, until it is imported again', async () => {
  const [{ at, id }] = gateway.pool as [(typeof gateway.pool)[number]];
  at.expireAccessToken();
  at.revoke();
  expect((await gateway.ask()).status).toBe(503);
  await vi.waitUntil(() => lines(/is deactivated/).length > 0, soon);
  expect(lines(/is deactivated/)).toEqual([expect.stringContaining(id)]);
  expect(await problems()).toContain('account_deactivated');
  at.signIn();
  const form = new FormData();
  form.set('auth_json', new Blob([JSON.stringify(at.authFile())]), 'auth.json');
  await gateway.api('POST', '/api/accounts/import?on_duplicate=replace', form);
  expect(await problems()).not.toContain('account_deactivated');
});

test('says that requests fail, with the status of the provider, until one is served', async () => {
  const [{ at, id }] = gateway.pool as [(typeof gateway.pool)[number]];
  at.always(serverError());
  for (let count = 0; count < 3; count += 1) await gateway.ask();
  expect(lines(/model requests failed/)).toEqual([expect.stringContaining(id)]);
  expect(await problems()).toContain('requests_failing');
  at.always(textResponse({ text: 'hello' }));
  await vi.waitUntil(async () => (await gateway.ask()).status === 200, { timeout: 10_000, interval: 200 });
  expect(await problems()).not.toContain('requests_failing');
  expect(lines(/served again/)).toHaveLength(1);
});

test('says that all accounts used up their limits', async () => {
  const [{ at }] = gateway.pool as [(typeof gateway.pool)[number]];
  at.always(usageLimitReached());
  expect((await gateway.ask()).status).toBe(429);
  expect((await gateway.ask()).status).toBe(429);
  expect(lines(/No account can serve \(1 with used-up limits\)/)).toHaveLength(1);
  expect(await problems()).toContain('no_account_available');
});

test('says that usage cannot be read, and when it can', async () => {
  const [{ at, id }] = gateway.pool as [(typeof gateway.pool)[number]];
  at.usage.failure = json(403, { detail: HOSTILE });
  await vi.waitUntil(() => lines(/usage of account/).length > 0, soon);
  expect(lines(/usage of account/)).toEqual([expect.stringContaining(`${id} could not be read: HTTP 403`)]);
  at.usage.failure = undefined;
  await vi.waitUntil(() => lines(/^Over after .*usage of account/).length > 0, soon);
  expect(await problems()).not.toContain('usage_unavailable');
});

test('lets no text of the provider forge a line or move a cursor', async () => {
  const hostile = gateway.provider.addAccount({ plan: HOSTILE });
  const error = { code: HOSTILE, type: HOSTILE, message: HOSTILE };
  for (const account of [...gateway.pool.map(({ at }) => at), hostile]) {
    account.always(json(500, { error }));
    account.models.always(json(500, { error }));
    account.token = json(400, { error });
  }
  await gateway.importAccount(hostile);
  for (let count = 0; count < 4; count += 1) await gateway.ask();
  await vi.waitUntil(() => lines(/models of plan/).length > 0, soon);
  expect(lines(/forged/)).not.toEqual([]);
  for (const format of ['text', 'json'] as const) {
    const written: string[] = [];
    const { print } = createLog({ format, write: (text) => written.push(text) });
    for (const line of gateway.output) print(line);
    expect(written).toHaveLength(gateway.output.length);
    for (const line of written) expect(line).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+\n$/u);
  }
});

// Last, because management needs a session from then on.
test('says that sign-ins are throttled', async () => {
  await gateway.api('POST', '/api/dashboard-auth/password/setup', { password: 'correct horse' });
  for (let count = 0; count < 12; count += 1)
    await gateway.api('POST', '/api/dashboard-auth/password/login', { password: `wrong ${count}` });
  expect(lines(/Sign-ins are refused/)).toHaveLength(1);
});
