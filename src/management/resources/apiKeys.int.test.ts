import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  admitted,
  completed,
  type Stage,
  sharedManagement,
  startManagement,
} from '../../../test/support/management.ts';
import { DAY, NOW } from '../../../test/support/specification.ts';
import type { ApiKeyId, MicroDollars } from '../../domain/core/brands.ts';

const shared = sharedManagement();
const rule = { limit_type: 'total_tokens', limit_window: 'weekly', max_value: 1_000 };

async function createKey({ call }: Stage, body: object = {}) {
  const response = await call('POST', '/api/api-keys', { body: { name: 'laptop', ...body } });
  expect([response.status, response.text]).toEqual([200, response.text]);
  return response.body;
}

test('returns the value of a new key once', async () => {
  const stage = await startManagement();
  const key = await createKey(stage);
  expect(key).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'laptop',
    key: expect.stringMatching(/^sk-svc-[0-9a-f]{48}$/),
    key_prefix: key.key.slice(0, 16),
    allowed_models: null,
    regions: null,
    expires_at: null,
    is_active: true,
    created_at: '2026-01-15T12:00:00.000Z',
    last_used_at: null,
    limits: [],
    owner: null,
    team: null,
  });
  const { key: _secret, ...rest } = key;
  const listed = await stage.call('GET', '/api/api-keys');
  expect([listed.status, listed.body]).toEqual([200, [rest]]);
});

test('stores only a SHA-256 hash of the key, in the log and in memory', async () => {
  const stage = await startManagement();
  const { key, id } = await createKey(stage);
  const kept = JSON.stringify([await Array.fromAsync(stage.log.readAll(0 as never)), stage.hot.state.apiKeys.get(id)]);
  expect(kept).not.toContain(key.slice(16));
  expect(stage.hot.state.keyIdByHash.get(createHash('sha256').update(key).digest('hex'))).toBe(id);
});

test('lists keys in the order of creation', async () => {
  const stage = await startManagement();
  for (const name of ['c', 'a', 'b']) await createKey(stage, { name });
  const { body } = await stage.call('GET', '/api/api-keys');
  expect(body.map(({ name }: { name: string }) => name)).toEqual(['c', 'a', 'b']);
});

test('accepts models, expiry and limits in either spelling', async () => {
  const stage = await startManagement();
  const snake = await createKey(stage, {
    allowed_models: [' gpt-5.1 ', '', 'gpt-5.1'],
    expires_at: '2026-02-01T00:00:00+02:00',
    limits: [
      { ...rule, model_filter: 'gpt-5.1' },
      { ...rule, limit_window: 'monthly', model_filter: null },
    ],
  });
  const camel = await createKey(stage, {
    allowedModels: ['gpt-5.1'],
    expiresAt: '2026-01-31T22:00:00',
    limits: [
      { limitType: 'total_tokens', limitWindow: 'weekly', maxValue: 1_000, modelFilter: 'gpt-5.1' },
      { limitType: 'total_tokens', limitWindow: 'monthly', maxValue: 1_000 },
    ],
  });
  const expected = {
    allowed_models: ['gpt-5.1'],
    expires_at: '2026-01-31T22:00:00.000Z',
    limits: [
      {
        id: 1,
        limit_type: 'total_tokens',
        limit_window: 'weekly',
        max_value: 1_000,
        model_filter: 'gpt-5.1',
        current_value: 0,
        reserved_value: 0,
        reset_at: '2026-01-22T12:00:00.000Z',
      },
      {
        id: 2,
        limit_type: 'total_tokens',
        limit_window: 'monthly',
        max_value: 1_000,
        model_filter: null,
        current_value: 0,
        reserved_value: 0,
        reset_at: '2026-02-01T00:00:00.000Z',
      },
    ],
  };
  expect(snake).toMatchObject(expected);
  expect(camel).toMatchObject(expected);
});

test.each([
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['2026-03-01T10:00:00', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00:00.5Z', '2026-03-01T10:00:00.500Z'],
  ['2026-03-01T10:00:00-0530', '2026-03-01T15:30:00.000Z'],
])('reads an expiry of %s as %s', async (expires_at, shown) => {
  const stage = await startManagement();
  expect((await createKey(stage, { expires_at })).expires_at).toBe(shown);
});

test('turns weekly_token_limit into a rule unless limits are given', async () => {
  const stage = await startManagement();
  const old = await createKey(stage, { weekly_token_limit: 500 });
  expect(old.limits).toMatchObject([
    { limit_type: 'total_tokens', limit_window: 'weekly', max_value: 500, model_filter: null },
  ]);
  const both = await createKey(stage, { weeklyTokenLimit: 500, limits: [{ ...rule, limit_window: 'daily' }] });
  expect(both.limits).toMatchObject([{ limit_window: 'daily', max_value: 1_000 }]);
  const cleared = await stage.call('PATCH', `/api/api-keys/${old.id}`, { body: { weekly_token_limit: null } });
  expect(cleared.body.limits).toEqual([]);
  const set = await stage.call('PATCH', `/api/api-keys/${old.id}`, { body: { weeklyTokenLimit: 7 } });
  expect(set.body.limits).toMatchObject([{ limit_window: 'weekly', max_value: 7 }]);
});

test.each([
  [{ name: undefined }, 'name is missing'],
  [{ name: '   ' }, 'name must have 1 to 128 characters'],
  [{ name: 'x'.repeat(129) }, 'name must have 1 to 128 characters'],
  [{ name: 'half \ud83d' }, 'name must be well-formed Unicode'],
  [{ name: null }, 'name must be a string'],
  [{ allowed_models: 'gpt-5' }, 'allowed_models must be an array'],
  [{ allowed_models: [7] }, 'allowed_models.0 must be a string'],
  [{ expires_at: 'tomorrow' }, 'expires_at must be an ISO 8601 time such as 2030-01-31T12:00:00Z'],
  [{ expires_at: '2026-02-30T00:00:00Z' }, 'expires_at must be an ISO 8601 time such as 2030-01-31T12:00:00Z'],
  [{ expires_at: 1_900_000_000 }, 'expires_at must be a string'],
  [{ limits: {} }, 'limits must be an array'],
  [{ limits: [7] }, 'limits.0 must be an object'],
  [{ limits: [{ ...rule, limit_type: 'words' }] }, /^limits\.0\.limit_type must be one of total_tokens, input_tokens/],
  [{ limits: [{ ...rule, limit_window: undefined }] }, 'limits.0.limit_window is missing'],
  [{ limits: [{ ...rule, limit_window: 'hourly' }] }, 'limits.0.limit_window must be one of daily, weekly, monthly'],
  [{ limits: [{ ...rule, max_value: 0 }] }, 'limits.0.max_value must be at least 1'],
  [{ limits: [{ ...rule, max_value: 1.5 }] }, 'limits.0.max_value must be a whole number'],
  [{ limits: [{ ...rule, max_value: '10' }] }, 'limits.0.max_value must be a number'],
  [
    { limits: [{ ...rule, limit_type: 'cost_usd', max_value: 1e15 }] },
    'limits.0.max_value must be at most 9000000000 for cost_usd',
  ],
  [{ limits: [{ ...rule, window: 'daily' }] }, 'limits.0.window is not a known field'],
  [
    { limits: [rule, { ...rule, max_value: 5 }] },
    'limits.1 repeats a rule: type, window and model_filter together must be unique',
  ],
  [{ weekly_token_limit: -1 }, 'weekly_token_limit must be at least 1'],
  [{ is_active: false }, 'is_active must be true: new keys are active; deactivate a key with PATCH'],
  [{ limit: [] }, 'limit is not a known field'],
  [{ constructor: 1 }, 'constructor is not a known field'],
])('rejects a key with %j: %s', async (fields, message) => {
  const { call, hot } = shared();
  const { status, body } = await call('POST', '/api/api-keys', { body: { name: 'laptop', ...fields } });
  expect([status, body.error.code]).toEqual([400, 'invalid_api_key_payload']);
  expect(body.error.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  expect(hot.state.apiKeys.size).toBe(0);
});

const manyRules = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...rule, model_filter: `model-${index}` }));
const TOO_LONG = 'x'.repeat(129);

test.each([
  [{ limits: manyRules(101) }, 'limits must have at most 100 entries'],
  [{ limits: [{ ...rule, model_filter: TOO_LONG }] }, 'limits.0.model_filter must be at most 128 bytes long'],
  // Three bytes each in UTF-8.
  [
    { limits: [rule, { ...rule, model_filter: '€'.repeat(43) }] },
    'limits.1.model_filter must be at most 128 bytes long',
  ],
  // Six bytes each in JSON.
  [{ allowed_models: ['a', '\u0001'.repeat(22)] }, 'allowed_models.1 must be at most 128 bytes long'],
  [
    { allowed_models: Array.from({ length: 101 }, (_, index) => `m${index}`) },
    'allowed_models must have at most 100 entries',
  ],
  [{ allowed_models: [TOO_LONG] }, 'allowed_models.0 must be at most 128 bytes long'],
])('refuses settings of a key that are too long to be kept, in POST and PATCH (%#)', async (fields, message) => {
  const stage = await startManagement();
  const { id } = await createKey(stage);
  const { position } = stage.hot.state;
  for (const [method, path] of [
    ['POST', '/api/api-keys'],
    ['PATCH', `/api/api-keys/${id}`],
  ] as const) {
    const { status, body } = await stage.call(method, path, { body: { name: 'laptop', ...fields } });
    expect([status, body]).toEqual([400, { error: { code: 'invalid_api_key_payload', message } }]);
  }
  expect(stage.hot.state.position).toBe(position);
});

test('refuses 9,000 limits at once, without looking at each', async () => {
  const stage = await startManagement();
  const { id } = await createKey(stage, { limits: manyRules(100) });
  const body = { limits: manyRules(9_000) };
  const since = performance.now();
  const { status, body: response } = await stage.call('PATCH', `/api/api-keys/${id}`, { body });
  expect([status, response.error.message]).toEqual([400, 'limits must have at most 100 entries']);
  // It took 4.3 s.
  expect(performance.now() - since).toBeLessThan(2_000);
});

test('keeps the longest settings of a key in events below 64 kB', async () => {
  const stage = await startManagement();
  // Quotes take two bytes each in JSON.
  const named = (letter: string, index: number) => `${letter}${index}`.padEnd(63, '"');
  const longest = (letter: string) => ({
    name: '🔑'.repeat(128),
    allowed_models: Array.from({ length: 100 }, (_, index) => named(letter, index)),
    limits: Array.from({ length: 100 }, (_, index) => ({
      limit_type: 'output_tokens',
      limit_window: 'monthly',
      max_value: Number.MAX_SAFE_INTEGER,
      model_filter: named(letter, index),
    })),
  });
  const { id } = await createKey(stage, longest('a'));
  const headers = { 'user-agent': 'x'.repeat(10_000) };
  const { status } = await stage.call('PATCH', `/api/api-keys/${id}`, { body: longest('b'), headers });
  expect(status).toBe(200);
  for await (const { type, data, metadata } of stage.log.readAll(0 as never)) {
    expect([type, Buffer.byteLength(JSON.stringify(data) + JSON.stringify(metadata)) < 64_000]).toEqual([type, true]);
  }
});

test('changes only the fields in a PATCH', async () => {
  const stage = await startManagement();
  const key = await createKey(stage, { allowed_models: ['gpt-5'], expires_at: '2030-01-01', limits: [rule] });
  const change = async (body: object) => (await stage.call('PATCH', `/api/api-keys/${key.id}`, { body })).body;
  const { key: _secret, ...before } = key;
  expect(await change({})).toEqual(before);
  expect(await change({ name: ' desktop ' })).toEqual({ ...before, name: 'desktop' });
  expect(await change({ isActive: false })).toEqual({ ...before, name: 'desktop', is_active: false });
  expect(await change({ allowed_models: null, expires_at: null, limits: null })).toEqual({
    ...before,
    name: 'desktop',
    is_active: false,
    allowed_models: null,
    expires_at: null,
    limits: [],
  });
});

test('accepts its own response as a request and changes nothing', async () => {
  const stage = await startManagement();
  const key = await createKey(stage, { limits: [rule, { ...rule, limit_type: 'cost_usd' }] });
  const { position } = stage.hot.state;
  const [listed] = (await stage.call('GET', '/api/api-keys')).body;
  const response = await stage.call('PATCH', `/api/api-keys/${key.id}`, { body: listed });
  expect([response.status, response.body, stage.hot.state.position]).toEqual([200, listed, position]);
});

test.each([
  [{ name: '' }, 'name must have 1 to 128 characters'],
  [{ is_active: null }, 'is_active must be true or false'],
  [{ reset_usage: 'yes' }, 'reset_usage must be true or false'],
  [{ nmae: 'x' }, 'nmae is not a known field'],
])('rejects a change to %j: %s', async (fields, message) => {
  const stage = await startManagement();
  const { id } = await createKey(stage);
  const { status, body } = await stage.call('PATCH', `/api/api-keys/${id}`, { body: fields });
  expect([status, body]).toEqual([400, { error: { code: 'invalid_api_key_payload', message } }]);
});

test('keeps usage when a maximum changes and clears it with reset_usage', async () => {
  const stage = await startManagement();
  const { id } = await createKey(stage, { limits: [rule, { ...rule, limit_type: 'cost_usd', max_value: 5 }] });
  const costMicroDollars = 2_500_000 as MicroDollars;
  await stage.append(completed({ keyId: id as ApiKeyId, costMicroDollars }));
  const change = async (body: object) => (await stage.call('PATCH', `/api/api-keys/${id}`, { body })).body;
  const limits = [
    { ...rule, max_value: 2_000 },
    { ...rule, limit_type: 'cost_usd', max_value: 5 },
  ];
  const changed = await change({ limits });
  expect(changed.last_used_at).toBe('2026-01-15T12:00:00.000Z');
  expect(changed.limits).toMatchObject([
    { id: 1, max_value: 2_000, current_value: 120 },
    { id: 2, max_value: 5, current_value: 2, current_cost_usd: 2.5, reserved_cost_usd: 0 },
  ]);
  expect((await change({ reset_usage: true })).limits).toMatchObject([
    { current_value: 0 },
    { current_value: 0, current_cost_usd: 0 },
  ]);
});

test('keeps usage when what happens to streams at a limit changes', async () => {
  const stage = await startManagement();
  const { id, limits } = await createKey(stage, { limits: [{ ...rule, on_exceeded: 'stop' }] });
  expect(limits).toMatchObject([{ on_exceeded: 'stop' }]);
  await stage.append(completed({ keyId: id as ApiKeyId }));
  const change = async (limit: object) =>
    (await stage.call('PATCH', `/api/api-keys/${id}`, { body: { limits: [{ ...rule, ...limit }] } })).body.limits;
  expect(await change({ max_value: 2_000 })).toMatchObject([{ id: 1, on_exceeded: 'stop', current_value: 120 }]);
  expect(await change({ on_exceeded: 'finish' })).toMatchObject([{ id: 1, on_exceeded: 'finish', current_value: 120 }]);
  const { status } = await stage.call('PATCH', `/api/api-keys/${id}`, {
    body: { limits: [{ ...rule, on_exceeded: 'pause' }] },
  });
  expect(status).toBe(400);
});

test('clears usage when a window has passed and shows the next reset', async () => {
  const stage = await startManagement();
  const { id } = await createKey(stage, { limits: [rule] });
  await stage.append(completed({ keyId: id as ApiKeyId }));
  stage.clock.now = (NOW + 8 * DAY) as typeof NOW;
  const [key] = (await stage.call('GET', '/api/api-keys')).body;
  expect(key.limits).toMatchObject([{ current_value: 0, reset_at: '2026-01-29T12:00:00.000Z' }]);
});

test('shows reservations of open requests apart from usage', async () => {
  const stage = await startManagement();
  const { id } = await createKey(stage, { limits: [rule, { ...rule, limit_type: 'cost_usd' }] });
  const other = await createKey(stage, { limits: [rule] });
  const request = { keyId: id as ApiKeyId, requestId: 'req_1' };
  await stage.append(admitted({ inputTokens: 100, outputTokens: 200, costMicroDollars: 1_500_000 }, request));
  const limits = async () => {
    const keys: { id: string; limits: unknown[] }[] = (await stage.call('GET', '/api/api-keys')).body;
    return [id, other.id].map((wanted) => keys.find((key) => key.id === wanted)?.limits);
  };
  expect(await limits()).toMatchObject([
    [
      { current_value: 0, reserved_value: 300 },
      { current_value: 0, current_cost_usd: 0, reserved_value: 1, reserved_cost_usd: 1.5 },
    ],
    [{ current_value: 0, reserved_value: 0 }],
  ]);
  await stage.append(completed(request));
  expect(await limits()).toMatchObject([[{ current_value: 120, reserved_value: 0 }, { reserved_value: 0 }], [{}]]);
});

test('invalidates the old value of a regenerated key immediately', async () => {
  const stage = await startManagement();
  const before = await createKey(stage, { limits: [rule] });
  const { status, body: after } = await stage.call('POST', `/api/api-keys/${before.id}/regenerate`);
  expect(status).toBe(200);
  expect(after).toEqual({
    ...before,
    key: expect.stringMatching(/^sk-svc-[0-9a-f]{48}$/),
    key_prefix: after.key.slice(0, 16),
  });
  expect(after.key).not.toBe(before.key);
  const hash = (key: string) => createHash('sha256').update(key).digest('hex');
  expect([...stage.hot.state.keyIdByHash.keys()]).toEqual([hash(after.key)]);
});

test('no longer lists a deleted key', async () => {
  const stage = await startManagement();
  const { id } = await createKey(stage);
  const { status, text } = await stage.call('DELETE', `/api/api-keys/${id}`);
  expect([status, text]).toEqual([204, '']);
  expect((await stage.call('GET', '/api/api-keys')).body).toEqual([]);
});

test.each([
  ['PATCH', ''],
  ['DELETE', ''],
  ['POST', '/regenerate'],
])('responds to %s of an unknown key with 404', async (method, action) => {
  const { call } = shared();
  for (const id of ['11111111-1111-4111-8111-111111111111', 'no-uuid', '%2e%2e%2f', '%ff']) {
    const { status, body } = await call(method, `/api/api-keys/${id}${action}`, method === 'PATCH' ? { body: {} } : {});
    expect([status, body.error.code, id]).toEqual([404, 'not_found', id]);
  }
});

test('applies all of several simultaneous changes', async () => {
  const stage = await startManagement();
  const { id } = await createKey(stage);
  const changes = [
    { name: 'desktop' },
    { is_active: false },
    { expires_at: '2030-01-01' },
    { limits: [rule] },
    { allowed_models: ['a'] },
  ];
  const many = [...changes, ...changes, ...changes].map((body) => stage.call('PATCH', `/api/api-keys/${id}`, { body }));
  expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 200));
  const [key] = (await stage.call('GET', '/api/api-keys')).body;
  expect(key).toMatchObject({
    name: 'desktop',
    is_active: false,
    expires_at: '2030-01-01T00:00:00.000Z',
    limits: [{ max_value: 1_000 }],
    allowed_models: ['a'],
  });
});
