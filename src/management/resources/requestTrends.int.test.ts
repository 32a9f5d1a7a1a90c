import { expect, test } from 'vitest';
import { completed, refused, type Stage, startManagement } from '../../../test/support/management.ts';
import { DAY, earlier, HOUR, MINUTE, NOW } from '../../../test/support/specification.ts';
import { type ApiKeyId, iso } from '../../domain/core/brands.ts';
import { RefusalsCounted } from '../../domain/request/events.ts';

interface Point {
  readonly t: string;
  readonly requests: number;
  readonly errors: number;
}

async function getTrends({ call }: Stage, query = '') {
  const { status, body } = await call('GET', `/api/dashboard/trends${query}`);
  expect(status).toBe(200);
  return body as { step_minutes: number; since: string; points: Point[]; errors: object[] };
}
const withRequests = (points: readonly Point[]) => points.filter(({ requests }) => requests > 0);

test('returns a zero point for each of 24 hours without requests', async () => {
  const { points, ...rest } = await getTrends(await startManagement());
  expect(rest).toEqual({ step_minutes: 60, since: iso(earlier(23 * HOUR)), errors: [] });
  expect(points).toHaveLength(24);
  expect(points.at(-1)).toEqual({
    t: iso(NOW),
    requests: 0,
    errors: 0,
    input_tokens: 0,
    cached_input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
    mean_latency_ms: null,
  });
});

test('counts requests in the step of their arrival, and unlogged refusals as errors', async () => {
  const stage = await startManagement();
  await stage.append(
    completed({ requestedAt: NOW }),
    completed({ requestedAt: earlier(1) }),
    refused({ requestedAt: earlier(10 * MINUTE), errorCode: 'model_not_allowed' }),
    completed({ requestedAt: earlier(DAY - 10 * MINUTE) }),
    completed({ requestedAt: earlier(DAY) }),
    RefusalsCounted({
      keyId: '11111111-1111-4111-8111-111111111111' as ApiKeyId,
      address: null,
      minute: earlier(3 * MINUTE),
      counts: { rate_limit_exceeded: 4 },
    }),
  );
  const { points, errors } = await getTrends(stage, '?hours=24&step_minutes=10');
  expect(points).toHaveLength(144);
  expect(withRequests(points).map(({ t, requests, errors }) => [t, requests, errors])).toEqual([
    [iso(earlier(DAY - 10 * MINUTE)), 1, 0],
    [iso(earlier(10 * MINUTE)), 6, 5],
    [iso(NOW), 1, 0],
  ]);
  expect(errors).toEqual([
    { code: 'rate_limit_exceeded', requests: 4 },
    { code: 'model_not_allowed', requests: 1 },
  ]);
});

test('returns points that add up to the total of any period', async () => {
  const stage = await startManagement();
  await stage.append(...Array.from({ length: 30 }, (_, hour) => completed({ requestedAt: earlier(hour * 5 * HOUR) })));
  for (const [query, count] of [
    ['?hours=168&step_minutes=60', 168],
    ['?hours=168&step_minutes=1', 10_080],
    ['?hours=168&step_minutes=1440', 7],
    ['?hours=1&step_minutes=30', 2],
  ] as const) {
    const { points, since } = await getTrends(stage, query);
    expect(points).toHaveLength(count);
    const arrived = Array.from({ length: 30 }, (_, hour) => iso(earlier(hour * 5 * HOUR))).filter((t) => t >= since);
    expect(withRequests(points).reduce((sum, { requests }) => sum + requests, 0)).toBe(arrived.length);
  }
});

test.each(['?hours=0', '?hours=169', '?hours=x', '?step_minutes=7', '?step_minutes=0', '?step_minutes=2880'])(
  'rejects %s',
  async (query) => {
    const { call } = await startManagement();
    const { status, body } = await call('GET', `/api/dashboard/trends${query}`);
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
  },
);
