import { beforeAll, expect, test } from 'vitest';
import { attemptsOf } from '../../../test/contract/readModels/randomRequests.ts';
import { at, completed, refused, sharedManagement, startManagement } from '../../../test/support/management.ts';
import type { AccountId, ApiKeyId } from '../../domain/core/brands.ts';

const keyId = '11111111-1111-4111-8111-111111111111' as ApiKeyId;
const shared = sharedManagement();

/** The requests that the tests below find, oldest first. */
beforeAll(async () => {
  await shared().append(
    completed({
      requestId: 'req_1',
      accountId: 'a' as AccountId,
      requestedAt: at('2026-01-10T00:00:00Z'),
      effort: 'low',
    }),
    completed({
      requestId: 'req_2',
      accountId: 'b' as AccountId,
      attempts: attemptsOf(['a', 'c', 'b'] as AccountId[]),
      requestedAt: at('2026-01-11T00:00:00Z'),
      model: 'gpt-5',
    }),
    completed({
      requestId: 'req_3',
      accountId: 'a' as AccountId,
      requestedAt: at('2026-01-12T00:00:00Z'),
      effort: 'high',
      status: 'error',
      errorCode: 'upstream_error',
      errorMessage: 'The provider said 100% "nothing"_at_all',
      usage: null,
      costMicroDollars: null,
    }),
    refused({ requestId: 'req_4', keyId, requestedAt: at('2026-01-13T00:00:00Z') }),
  );
});

const findIds = async (query: string) => {
  const { status, body } = await shared().call('GET', `/api/request-logs?${query}`);
  expect(status).toBe(200);
  expect(body.total).toBe(body.requests.length);
  return body.requests.map(({ request_id }: { request_id: string }) => request_id.slice(4)).join('');
};

test('returns all fields of a request', async () => {
  const { body } = await shared().call('GET', '/api/request-logs');
  expect(Object.keys(body.requests[0]).slice(0, 12)).toEqual([
    'requested_at',
    'account_id',
    'request_id',
    'model',
    'status',
    'error_code',
    'error_message',
    'tokens',
    'cached_input_tokens',
    'reasoning_effort',
    'cost_usd',
    'latency_ms',
  ]);
  expect([body.total, body.has_more]).toEqual([4, false]);
  expect(body.requests[3]).toEqual({
    requested_at: '2026-01-10T00:00:00.000Z',
    account_id: 'a',
    request_id: 'req_1',
    model: 'gpt-5.1',
    status: '200',
    error_code: null,
    error_message: null,
    tokens: 120,
    cached_input_tokens: 40,
    reasoning_effort: 'low',
    cost_usd: 0.00125,
    latency_ms: 1_200,
    api_key_id: null,
    owner: null,
    team: null,
    client: null,
    client_version: null,
    originator: null,
    transport: 'http',
    address: null,
    user_agent: null,
    route: '/v1/responses',
    input_tokens: 100,
    output_tokens: 20,
    reasoning_tokens: 8,
    first_byte_ms: 300,
    attempts: 0,
    attempted_account_ids: ['a'],
    position: expect.any(Number),
  });
});

test('names the accounts that a request tried, its own last, and counts it for each of them', async () => {
  const { body } = await shared().call('GET', '/api/request-logs?search=req_2');
  expect(body.requests[0]).toMatchObject({ account_id: 'b', attempts: 3, attempted_account_ids: ['a', 'c', 'b'] });
  const { body: options } = await shared().call('GET', '/api/request-logs/options?attemptedAccountId=c');
  expect(options).toMatchObject({ account_ids: ['b'], attempted_account_ids: ['a', 'b', 'c'], statuses: ['200'] });
  expect(options.counts).toMatchObject({ account_ids: { b: 1 }, attempted_account_ids: { a: 3, b: 1, c: 1 } });
});

test('returns null for unknown tokens and cost, and for the account of a refusal', async () => {
  const { body } = await shared().call('GET', '/api/request-logs');
  expect(body.requests[1]).toMatchObject({ status: 'error', tokens: null, cached_input_tokens: null, cost_usd: null });
  expect(body.requests[0]).toMatchObject({
    request_id: 'req_4',
    status: '429',
    error_code: 'rate_limit_exceeded',
    account_id: null,
    api_key_id: keyId,
    tokens: null,
    first_byte_ms: null,
  });
});

test.each([
  ['', '4321'],
  ['accountId=a', '31'],
  ['account_id=b', '2'],
  ['accountId=a&accountId=b', '321'],
  ['attemptedAccountId=a', '321'],
  ['attempted_account_id=c', '2'],
  ['attemptedAccountId=b&attempted_account_id=c', '2'],
  ['attemptedAccountId=a&accountId=b', '2'],
  ['attemptedAccountId=c&accountId=c', ''],
  ['attemptedAccountId=unknown', ''],
  ['accountId=unknown', ''],
  ['accountId=', ''],
  ['status=200', '21'],
  ['status=error&status=429', '43'],
  ['status=ok', ''],
  ['model=gpt-5', '2'],
  ['model=gpt', ''],
  ['reasoningEffort=high', '43'],
  ['reasoning_effort=high&reasoningEffort=low', '431'],
  ['reasoningEffort=', '2'],
  ['reasoningEffort=&reasoningEffort=low', '21'],
  ['modelOption=gpt-5.1:::high', '43'],
  ['modelOption=gpt-5:::', '2'],
  ['modelOption=gpt-5', '2'],
  ['modelOption=gpt-5:::&modelOption=gpt-5.1:::low', '21'],
  ['modelOption=gpt-5:::high', ''],
  ['since=2026-01-12T00:00:00Z', '43'],
  ['since=2026-01-12', '43'],
  ['since=2026-01-12T02:00:00%2B02:00', '43'],
  ['since=2026-01-12T02:00:00+02:00', '43'],
  ['until=2026-01-11T00:00:00Z', '21'],
  ['since=2026-01-11&until=2026-01-12', '32'],
  ['search=REQ_3', '3'],
  ['search=PROVIDER said', '3'],
  ['search=100%25', '3'],
  ['search=%25', '3'],
  ['search="nothing"_at', '3'],
  ['search=r_q', ''],
  ['search=%5C', ''],
  ["search='; DROP TABLE requests; --", ''],
  ['search=', '4321'],
  ['accountId=a&status=error&model=gpt-5.1&search=provider', '3'],
])('finds with ?%s %s', async (query, expected) => {
  expect(await findIds(query.replaceAll(' ', '%20'))).toBe(expected);
});

test('returns consecutive pages and whether there are more', async () => {
  const page = async (query: string) => {
    const { body } = await shared().call('GET', `/api/request-logs?${query}`);
    const found = body.requests.map(({ request_id }: { request_id: string }) => request_id.slice(4)).join('');
    return [found, body.total, body.has_more];
  };
  expect(await page('limit=3')).toEqual(['432', 4, true]);
  expect(await page('limit=3&offset=3')).toEqual(['1', 4, false]);
  expect(await page('limit=4')).toEqual(['4321', 4, false]);
  expect(await page('limit=1&offset=100')).toEqual(['', 4, false]);
  expect(await page('accountId=a&limit=1')).toEqual(['3', 2, true]);
});

test.each([
  ['limit=0', 'limit must be a whole number from 1 to 1000'],
  ['limit=1001', 'limit must be a whole number from 1 to 1000'],
  ['limit=ten', 'limit must be a whole number from 1 to 1000'],
  ['limit=', 'limit must be a whole number from 1 to 1000'],
  ['limit=5&limit=6', 'limit is given twice'],
  ['offset=-1', 'offset must be a whole number of at least 0'],
  ['offset=1.5', 'offset must be a whole number of at least 0'],
  ['offset=1e400', 'offset must be a whole number of at least 0'],
  ['since=yesterday', 'since must be an ISO 8601 time'],
  ['until=2026-02-30', 'until must be an ISO 8601 time'],
  ['search=a&search=b', 'search is given twice'],
])('rejects ?%s: %s', async (query, message) => {
  const { status, body } = await shared().call('GET', `/api/request-logs?${query}`);
  expect([status, body]).toEqual([400, { error: { code: 'validation_error', message } }]);
});

const options = async (query = '') => (await shared().call('GET', `/api/request-logs/options?${query}`)).body;
const none = { model: 'gpt-5', reasoning_effort: null };
const low = { model: 'gpt-5.1', reasoning_effort: 'low' };
const high = { model: 'gpt-5.1', reasoning_effort: 'high' };

test('lists the values of all rows in order, with their counts', async () => {
  expect(await options()).toEqual({
    account_ids: ['a', 'b'],
    attempted_account_ids: ['a', 'b', 'c'],
    model_options: [none, high, low],
    statuses: ['200', '429', 'error'],
    api_key_ids: [keyId],
    owners: [],
    teams: [],
    error_codes: ['rate_limit_exceeded', 'upstream_error'],
    counts: {
      account_ids: { a: 2, b: 1 },
      attempted_account_ids: { a: 3, b: 1, c: 1 },
      model_options: [1, 2, 1],
      statuses: { 200: 2, 429: 1, error: 1 },
      api_key_ids: { [keyId]: 1 },
      owners: {},
      teams: {},
      error_codes: { rate_limit_exceeded: 1, upstream_error: 1 },
    },
  });
});

test.each([
  ['accountId=b', ['a', 'b'], [none], ['200']],
  ['status=error', ['a'], [high], ['200', '429', 'error']],
  ['status=429', [], [high], ['200', '429', 'error']],
  ['model=gpt-5', ['b'], [none, high, low], ['200']],
  ['reasoningEffort=high', ['a'], [none, high, low], ['429', 'error']],
  ['modelOption=gpt-5.1:::low', ['a'], [none, high, low], ['200']],
  ['accountId=a&status=error', ['a'], [high], ['200', 'error']],
  ['accountId=unknown', ['a', 'b'], [], []],
  ['since=2026-01-12T00:00:00Z', ['a'], [high], ['429', 'error']],
  ['since=2026-01-12T00:00:00.001Z', [], [high], ['429']],
  ['until=2026-01-10T23:59:59Z', ['a'], [low], ['200']],
  ['since=2026-01-11&until=2026-01-12', ['a', 'b'], [none, high], ['200', 'error']],
])('applies to each list of options all filters but its own: %s', async (query, ...expected) => {
  const { account_ids, model_options, statuses } = await options(query);
  expect([account_ids, model_options, statuses]).toEqual(expected);
});

test('counts the rows that an option would select', async () => {
  const { counts } = await options('reasoningEffort=high&status=error');
  expect(counts).toMatchObject({
    account_ids: { a: 1 },
    attempted_account_ids: { a: 1 },
    model_options: [1],
    statuses: { 429: 1, error: 1 },
  });
  const { requests, total } = (await shared().call('GET', '/api/request-logs?reasoningEffort=high&status=429')).body;
  expect([requests.length, total]).toEqual([1, counts.statuses['429']]);
});

test('rejects an invalid time for options', async () => {
  expect((await options('since=yesterday')).error).toEqual({
    code: 'validation_error',
    message: 'since must be an ISO 8601 time',
  });
});

test('includes a request that has just ended', async () => {
  const { append, call } = await startManagement();
  expect((await call('GET', '/api/request-logs')).body).toEqual({ requests: [], total: 0, has_more: false });
  for (const requestId of ['req_a', 'req_b', 'req_c']) {
    await append(completed({ requestId }));
    expect((await call('GET', '/api/request-logs?limit=1')).body.requests[0].request_id).toBe(requestId);
  }
});

test('returns fifty rows by default', async () => {
  const { append, call } = await startManagement();
  await append(...Array.from({ length: 60 }, () => completed()));
  const { body } = await call('GET', '/api/request-logs');
  expect([body.requests.length, body.total, body.has_more]).toEqual([50, 60, true]);
});

test('sorts by a field of the entries, and refuses an unknown one by name', async () => {
  const { append, call } = await startManagement();
  await append(
    completed({ requestId: 'req_1', latencyMs: 300, firstByteMs: null }),
    completed({ requestId: 'req_2', latencyMs: 900, firstByteMs: 20 }),
    completed({ requestId: 'req_3', latencyMs: 600, firstByteMs: 10 }),
  );
  const idsOf = async (query: string) =>
    (await call('GET', `/api/request-logs?${query}`)).body.requests.map(
      ({ request_id }: { request_id: string }) => request_id,
    );
  expect(await idsOf('sort=-requested_at')).toEqual(['req_3', 'req_2', 'req_1']);
  expect(await idsOf('sort=requested_at&limit=2')).toEqual(['req_1', 'req_2']);
  expect(await idsOf('sort=-latency_ms&limit=2')).toEqual(['req_2', 'req_3']);
  expect(await idsOf('sort=first_byte_ms')).toEqual(['req_3', 'req_2', 'req_1']);
  expect(await idsOf('sort=-first_byte_ms')).toEqual(['req_2', 'req_3', 'req_1']);
  for (const sort of ['model', '', '--latency_ms', 'latencyMs']) {
    const { status, body } = await call('GET', `/api/request-logs?sort=${sort}`);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(body.error.message).toMatch(/^sort must be -requested_at or /);
  }
});

test('a list tells from which position to follow it', async () => {
  const { append, call } = await startManagement();
  await append(completed({ requestId: 'req_1' }));
  const first = (await call('GET', '/api/request-logs?with_position=true')).body;
  expect(first.requests).toHaveLength(1);
  await append(completed({ requestId: 'req_2' }));
  const { requests } = (await call('GET', `/api/request-logs?after=${first.position}`)).body;
  expect(requests.map(({ request_id }: { request_id: string }) => request_id)).toEqual(['req_2']);
  expect((await call('GET', '/api/request-logs?with_position=yes')).body.error.message).toContain('with_position');
  expect((await call('GET', '/api/request-logs?with_position=false')).body).not.toHaveProperty('position');
  const history = (await call('GET', '/api/history?with_position=true&limit=1')).body;
  expect(history.position).toBe(history.events[0].position);
});

test('follows the list from the position of the answer before, also as of an earlier one', async () => {
  const { append, call } = await startManagement();
  const get = async (query: string) => (await call('GET', `/api/request-logs?${query}`)).body;
  const idsOf = ({ requests }: { requests: { request_id: string }[] }) => requests.map(({ request_id }) => request_id);
  await append(completed({ requestId: 'req_1' }));
  const first = await get('after=0');
  await append(completed({ requestId: 'req_2' }), completed({ requestId: 'req_3', status: '429' }));
  const second = await get(`after=${first.position}`);
  expect([idsOf(second), second.total]).toEqual([['req_3', 'req_2'], 2]);
  expect(idsOf(await get(`after=${first.position}&status=429`))).toEqual(['req_3']);
  await append(completed({ requestId: 'req_4' }));
  expect(idsOf(await get(`after=${second.position}`))).toEqual(['req_4']);
  const then = await get(`after=${first.position}&at=${second.position}`);
  expect([idsOf(then), then.position]).toEqual([['req_3', 'req_2'], second.position]);
  expect(await get(`after=${second.position}&at=${first.position}`)).toMatchObject({ requests: [], total: 0 });
  const history = (await call('GET', `/api/history?after=${second.position}`)).body;
  expect(history.events.map(({ position }: { position: number }) => position)).toEqual([history.position]);
  for (const query of ['after=-1', 'after=now', `after=${first.position}&search=req`])
    expect((await get(query)).error).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('after'),
    });
});
