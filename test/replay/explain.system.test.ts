import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Explanation } from '../../src/replay/explain/explanation.ts';
import { serve } from '../durability/support/serve.ts';
import { type Gateway, startGateway, validRequest } from '../support/gateway.ts';
import { serverError, textResponse, throttled, usageLimitReached } from '../support/provider/scripts.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const usage = { inputTokens: 40, cachedTokens: 10, outputTokens: 30, reasoningTokens: 5 };

let gateway: Gateway;
let keys: { id: string; key: string }[];

beforeAll(async () => {
  gateway = await startGateway({ accounts: 6 });
  keys = [];
  for (const changes of [
    { limits: [{ limit_type: 'total_tokens', limit_window: 'daily', max_value: 150 }] },
    { allowed_models: ['gpt-5.2'] },
    {},
  ]) {
    keys.push((await gateway.api('POST', '/api/api-keys', { name: `\u001b[31mkey ${keys.length}`, ...changes })).body);
  }
  await gateway.set({ api_key_auth_enabled: true });
  for (const { at } of gateway.pool) at.always(textResponse({ usage }));
});

afterAll(() => gateway.stop());

/** Sends a request. @returns its id */
async function ask(key: number, fields: object = {}, headers: Record<string, string> = {}): Promise<string> {
  const authorization = `Bearer ${keys[key]?.key}`;
  const response = await gateway.ask({ ...validRequest, ...fields }, { headers: { authorization, ...headers } });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

const explain = async (id: string): Promise<Explanation> => {
  const { status, body } = await gateway.api('GET', `/api/requests/${id}/explain`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

const run = (...args: string[]) =>
  serve({
    folder: gateway.folder,
    provider: gateway.provider,
    command: [process.execPath, 'src/start.mjs', 'explain', ...args],
  }).ended;

const accountId = (index: number): string => gateway.pool[index]?.id ?? '';
const reasons = ({ candidates }: Explanation) =>
  Object.fromEntries(candidates.map(({ account_id: id, eligible, reason }) => [id, eligible ? 'eligible' : reason]));

test('says of every account why it was not chosen, since when, and by which request it cools down', async () => {
  const [limited, cooling, failing] = gateway.pool;
  limited?.at.next(usageLimitReached({ resetsInSeconds: 600 }));
  cooling?.at.next(throttled({ retryAfter: 600 }));
  const cause = await ask(2);
  await gateway.api('POST', `/api/accounts/${accountId(3)}/pause`);
  failing?.at.next(serverError());
  const id = await ask(2, { prompt_cache_key: 'thread' }, { 'session-id': 'ignored' });
  const explained = await explain(id);
  expect(explained).toMatchObject({ request_id: id, outcome: 'served', status: '200', account_id: accountId(4) });
  expect(explained.caller).toMatchObject({ kind: 'api_key', key_id: keys[2]?.id, allowed_models: null });
  expect(explained.pin).toMatchObject({ source: 'prompt_cache_key', account_id: null, is_fallback: false });
  expect(explained.attempts.map(({ account_id: at, outcome }) => [at, outcome])).toEqual([
    [accountId(2), 'provider_error'],
    [accountId(4), 'ok'],
  ]);
  expect(explained.attempts[0]).toMatchObject({ provider_status: 500, choice: { by: 'usage_weighted', reason: null } });
  expect(reasons(explained)).toEqual({
    [accountId(0)]: 'rate_limited',
    [accountId(1)]: 'cooling',
    [accountId(2)]: 'already_tried',
    [accountId(3)]: 'paused',
    [accountId(4)]: 'eligible',
    [accountId(5)]: 'eligible',
  });
  const of = (index: number) => explained.candidates.find(({ account_id: each }) => each === accountId(index));
  expect(of(1)).toMatchObject({ by_request_id: cause, until: expect.any(String), since: expect.any(String) });
  expect(of(3)).toMatchObject({ detail: 'paused by an operator', since: expect.any(String), until: null });
  expect(of(4)).toMatchObject({ place: 1, used_percent_secondary: 40 });
  expect(of(5)).toMatchObject({ place: 2, used_percent_secondary: 50 });
  const types = explained.events.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['AccountPaused', 'AccountsCooled', 'RequestCompleted']));
});

test('adds up the cost term by term', async () => {
  const { cost } = await explain(await ask(2, { model: 'gpt-5.1' }));
  expect(cost?.terms.map(({ tokens, count }) => [tokens, count])).toEqual([
    ['input', 30],
    ['cached_input', 10],
    ['output', 30],
  ]);
  const sum = cost?.terms.reduce((total, { usd }) => total + usd, 0) ?? 0;
  expect(cost?.total_usd).toBeCloseTo(sum, 6);
  expect(sum).toBeGreaterThan(0);
});

test('names the limit and its numbers when a limit refused the request', async () => {
  for (let count = 0; count < 3; count += 1) await ask(0);
  const id = await ask(0);
  const explained = await explain(id);
  expect(explained).toMatchObject({
    outcome: 'refused',
    status: '429',
    account_id: null,
    attempts: [],
    candidates: [],
  });
  expect(explained.admission).toMatchObject({ verdict: 'refused', rule: 'limit', rule_version: 4 });
  const [limit] = explained.admission?.limits ?? [];
  expect(limit).toMatchObject({ id: explained.admission?.limit_id, limit_type: 'total_tokens', ceiling: 150 });
  expect((limit?.counted ?? 0) + (limit?.reserved ?? 0)).toBeGreaterThanOrEqual(150);
});

test('names the models of the key when it may not use the model', async () => {
  const { admission, caller } = await explain(await ask(1));
  expect([admission?.verdict, admission?.rule, caller.allowed_models]).toEqual([
    'refused',
    'allowed_models',
    ['gpt-5.2'],
  ]);
});

test('explains the account that the log records for every request', async () => {
  await gateway.set({ routing_strategy: 'round_robin' });
  for (let count = 0; count < 12; count += 1) await ask(2, { prompt_cache_key: `t ${count % 3}` });
  const completed = gateway.events('RequestCompleted').filter(({ data }) => data.attempts.length > 0);
  expect(completed.length).toBeGreaterThan(15);
  for (const { data } of completed) {
    const { attempts } = await explain(data.requestId);
    for (const { account_id: chosen, choice } of attempts) {
      const first = choice.candidates.find(({ place }) => place === 1);
      if (choice.by === 'pin') expect(data.pin?.resolvedTo).toBe(chosen);
      else if (choice.by !== 'repeat') expect(first?.account_id).toBe(chosen);
    }
  }
});

test('says why no account was found, also after the others were tried', async () => {
  for (const { id } of gateway.pool.slice(2)) await gateway.api('POST', `/api/accounts/${id}/pause`);
  const explained = await explain(await ask(2));
  expect(explained).toMatchObject({ outcome: 'refused', account_id: null, attempts: [] });
  expect(explained.no_account).toMatchObject({ by: 'none', reason: 'cooling' });
  expect(Object.values(reasons(explained)).toSorted()).toEqual(
    ['cooling', 'paused', 'paused', 'paused', 'paused', 'rate_limited'].toSorted(),
  );
  for (const { id } of gateway.pool.slice(2)) await gateway.api('POST', `/api/accounts/${id}/reactivate`);
});

test('is the same object over HTTP and on the terminal, later, and after a restart', async () => {
  const ids = [...gateway.events('RequestCompleted'), ...gateway.events('RequestRefused')].map(
    ({ data }) => data.requestId,
  );
  const over = new Map<string, Explanation>();
  for (const id of ids) over.set(id, await explain(id));
  for (const id of [ids[0], ids[4], ids.at(-1)] as string[]) {
    const { exitCode, stdout } = await run(id, '--json');
    expect({ exitCode, lines: stdout.length }).toEqual({ exitCode: 0, lines: 1 });
    expect(JSON.parse(stdout[0] as string)).toEqual(over.get(id));
  }
  await gateway.restart();
  for (const id of ids) expect(await explain(id)).toEqual(over.get(id));
});

test('prints one page of plain words, in which texts of clients are harmless', async () => {
  const id = await ask(2, { model: 'gpt-5\u001b[2J' });
  const { exitCode, stdout } = await run(id);
  const text = stdout.join('\n');
  expect(exitCode, text).toBe(0);
  expect(text).toContain(`Request ${id}: `);
  expect(text).toMatch(/Attempt 1 on account acct_\w+/);
  expect(text).not.toContain('\u001b');
  expect(stdout.length).toBeLessThan(50);
});

test('says that refusals beyond the first of a minute have no record', async () => {
  const { status, body } = await gateway.api('GET', '/api/requests/req_unknown/explain');
  expect([status, body.error.code]).toEqual([404, 'request_not_found']);
  expect(body.error.message).toContain('only their number');
  const { exitCode, stderr } = await run('req_unknown');
  expect([exitCode, stderr.join('\n')]).toEqual([2, expect.stringContaining('only their number')]);
  expect((await run()).exitCode).toBe(2);
});

test('is the same object once accounts and keys are gone, and to another person', async () => {
  const ids = gateway.events('RequestCompleted').map(({ data }) => data.requestId);
  const before = new Map<string, Explanation>();
  for (const id of ids) before.set(id, await explain(id));
  const { token } = (await gateway.api('POST', '/api/tokens', { name: 'script', role: 'auditor' })).body;
  await gateway.api('DELETE', `/api/accounts/${accountId(0)}`);
  await gateway.api('DELETE', `/api/api-keys/${keys[0]?.id}?forget_callers=true`);
  expect(ids.length).toBeGreaterThan(5);
  for (const id of ids) {
    expect(await explain(id)).toEqual(before.get(id));
    const response = await fetch(`${gateway.url}/api/requests/${id}/explain`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect([response.status, await response.json()]).toEqual([200, before.get(id)]);
  }
});
