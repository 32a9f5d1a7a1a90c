import { beforeAll, describe, expect, test } from 'vitest';
import { setUp } from '../../../test/support/browser.ts';
import { at, completed, refused, sharedManagement, startManagement } from '../../../test/support/management.ts';
import { join } from '../../../test/support/operators.ts';
import type { AccountId, ApiKeyId } from '../../domain/core/brands.ts';

const keyId = '11111111-1111-4111-8111-111111111111' as ApiKeyId;
const shared = sharedManagement();

beforeAll(async () => {
  const usual = { accountId: 'a' as AccountId, requestedAt: at('2026-01-10T05:00:00Z') };
  await shared().append(
    completed({ ...usual, latencyMs: 1_000, firstByteMs: 400 }),
    completed({ ...usual, requestedAt: at('2026-01-10T19:00:00Z'), latencyMs: 3_000, firstByteMs: null }),
    completed({
      ...usual,
      model: 'gpt-5',
      status: 'error',
      errorCode: 'upstream_error',
      usage: null,
      firstByteMs: null,
    }),
    refused({ keyId, requestedAt: at('2026-01-11T12:00:00Z') }),
  );
});

const get = async (query: string) => shared().call('GET', `/api/usage/breakdown?${query}`);
const RANGE = 'since=2026-01-10T00:00:00Z&until=2026-01-11T23:59:59.999Z';
const ids = (groups: { id: string | null }[]) => groups.map(({ id }) => id);

test('returns the figures of each group, of each step and of all', async () => {
  const { status, body } = await get(`group_by=account&${RANGE}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ group_by: 'account', interval: 'day', time_zone: 'UTC', position: expect.any(Number) });
  const { groups, total, series } = body;
  expect(groups).toMatchObject([
    { id: 'a', label: 'a', requests: 3, errors: 1, input_tokens: 200, output_tokens: 40, latency_ms: { p50: 1_200 } },
    { id: null, label: 'No account', requests: 1, errors: 1, first_byte_ms: null, tokens_per_second: null },
  ]);
  expect(total).toMatchObject({ requests: 4, errors: 2, cost_usd: 0.00375 });
  // 20 tokens in the 600 ms after the first byte; a response without one does not count.
  expect(total.tokens_per_second).toBeCloseTo(20 / 0.6, 2);
  expect(series.map((step: { at: string }) => step.at)).toEqual([
    '2026-01-10T00:00:00.000Z',
    '2026-01-11T00:00:00.000Z',
  ]);
  expect(series[0]).toMatchObject({ total: { requests: 3 }, groups: { a: { requests: 3, errors: 1 } } });
  expect(series[1]).toMatchObject({ total: { requests: 1 }, groups: { '': { requests: 1 } } });
});

test('counts refused requests, and those without a key as a group without an id', async () => {
  const { body } = await get(`${RANGE}`);
  expect(ids(body.groups)).toEqual([null, keyId]);
  expect(body.groups[1]).toMatchObject({ requests: 1, errors: 1, input_tokens: 0 });
});

test('splits days where those of the time zone begin', async () => {
  const { body } = await get(`group_by=model&time_zone=Asia/Kolkata&${RANGE}`);
  expect(body.series.map((step: { at: string }) => step.at)).toEqual([
    '2026-01-10T00:00:00.000Z',
    '2026-01-10T18:30:00.000Z',
    '2026-01-11T18:30:00.000Z',
  ]);
  expect(body.series.map(({ total }: { total: { requests: number } }) => total.requests)).toEqual([2, 2, 0]);
});

test('has no percentiles of nothing, and the last seven days by default', async () => {
  const { body } = await get('group_by=status&model=none');
  expect([body.groups, body.total.requests, body.total.latency_ms, body.total.first_byte_ms]).toEqual([
    [],
    0,
    null,
    null,
  ]);
  expect(Date.parse(body.until) - Date.parse(body.since) + 1).toBe(7 * 86_400_000);
});

test('applies the filters of the request log', async () => {
  for (const [filter, requests] of [
    ['status=error', 1],
    ['errorCode=upstream_error', 1],
    ['errorCode=', 2],
    [`apiKeyId=${keyId}`, 1],
    ['model=gpt-5&accountId=a', 1],
    ['accountId=b', 0],
  ] as const) {
    const { body } = await get(`group_by=model&${filter}&${RANGE}`);
    expect([filter, body.total.requests]).toEqual([filter, requests]);
  }
});

test('answers for an earlier moment what it answered then', async () => {
  const stage = await startManagement();
  const append = () => stage.append(completed({ requestedAt: stage.clock.now }));
  const path = '/api/usage/breakdown?group_by=model&interval=hour';
  await append();
  const then = (await stage.call('GET', path)).body;
  await append();
  const again = (await stage.call('GET', `${path}&at=${then.position}`)).body;
  expect({ ...again, since: '', until: '' }).toMatchObject({
    total: then.total,
    groups: then.groups,
    position: then.position,
  });
  expect((await stage.call('GET', path)).body.total.requests).toBe(2);
});

test('has each hour of a leap year, with fewer groups in each so that the answer stays bounded', async () => {
  const stage = await startManagement();
  const hours = 366 * 24;
  const models = Array.from({ length: 14 }, (_, index) => `model-${String(index).padStart(2, '0')}`);
  await stage.append(...models.map((model) => completed({ model, requestedAt: at('2024-02-29T10:20:00Z') })));
  const range = 'since=2024-01-01T00:00:00Z&until=2024-12-31T23:59:59.999Z';
  const { status, body } = await stage.call('GET', `/api/usage/breakdown?group_by=model&interval=hour&${range}`);
  expect([status, body.series.length, body.groups.length]).toEqual([200, hours, 14]);
  const [busy, ...others] = body.series.filter(({ total }: { total: { requests: number } }) => total.requests > 0);
  expect([busy.at, others, Object.keys(busy.groups).length]).toEqual(['2024-02-29T10:00:00.000Z', [], 12]);
  // 11 groups of 8,784 steps are below 100,000; the three others are one.
  expect(busy.groups.other.requests).toBe(3);
});

describe('refuses by name', () => {
  test.each([
    ['group_by=colour', 'group_by'],
    ['interval=week', 'interval'],
    ['time_zone=Europe/Bonn', 'time_zone'],
    ['groupby=key', 'groupby'],
    ['search=req', 'search'],
    ['since=2025-01-01T00:00:00Z&until=2026-06-01T00:00:00Z', 'since'],
    ['since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z', 'since'],
  ])('%s', async (query, param) => {
    const { status, body } = await get(query);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect(body.error.message).toContain(param);
  });
});

test('shows members the requests of keys that were theirs, without accounts', async () => {
  const stage = await startManagement();
  const administrator = await setUp(stage);
  const ada = await join(stage, administrator, 'Ada', 'member');
  const own = (await ada.call('POST', '/api/api-keys', { body: { name: 'own' } })).body.id as ApiKeyId;
  const requestedAt = stage.clock.now;
  await stage.append(
    completed({ keyId: own, owner: ada.id, requestedAt }),
    completed({ keyId, owner: 'bob', requestedAt }),
    completed({ requestedAt }),
  );
  const get = async (query: string) => ada.call('GET', `/api/usage/breakdown?${query}`);
  const { body } = await get('group_by=key');
  expect([body.total.requests, body.groups.length, body.groups[0]]).toMatchObject([1, 1, { id: own, label: 'own' }]);
  expect((await get('group_by=model')).body.total.requests).toBe(1);
  expect((await get('owner=bob')).body.total.requests).toBe(0);
  expect((await get(`apiKeyId=${keyId}`)).body.groups).toEqual([]);
  for (const query of ['group_by=account', 'accountId=a', 'attemptedAccountId=a'])
    expect(await get(query)).toMatchObject({ status: 403, body: { error: { code: 'insufficient_permissions' } } });
  expect((await administrator.call('GET', '/api/usage/breakdown')).body.total.requests).toBe(3);
});
