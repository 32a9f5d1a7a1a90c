import { expect, test } from 'vitest';
import { startManagement } from '../../../test/support/management.ts';
import { earlier, MINUTE } from '../../../test/support/specification.ts';
import { instant, iso } from '../../domain/core/brands.ts';
import { ReadModelUnavailable } from '../../readModels/readModelUnavailable.ts';

test('shows the position of an embedded node and of its read models', async () => {
  const stage = await startManagement();
  await stage.call('POST', '/api/firewall/ips', { body: { ip_address: '10.0.0.1' } });
  const { body } = await stage.call('GET', '/api/status');
  expect(body).toEqual({
    node: 'test',
    nodes: ['test'],
    events: { store: 'embedded', position: 1, cut_off_since: null },
    outbox: null,
    read_models: { store: 'embedded', position: 1, behind: 0, trouble: null },
    opened_bundle: null,
    sole_work: [],
    reservations: { requests: 0, limits: [] },
    problems: [],
  });
});

test('shows the outbox, leaders and unavailable stores with a 200', async () => {
  const since = instant(earlier(MINUTE));
  const parked = {
    id: '00000000-0000-4000-8000-000000000001',
    type: 'RequestCompleted',
    stream: 'requests-a.b_20260115',
    bytes: 1_048_577,
    reason: 'EventStoreDB accepts at most 1048576 bytes in one append',
  };
  const stage = await startManagement({
    queries: {
      progress: { reached: () => Promise.reject(new ReadModelUnavailable('MongoDB at h:1: connection refused')) },
    },
    nodeStatus: () => ({
      node: 'a',
      nodes: ['a', 'b'],
      events: 'eventstore',
      cutOffSince: since,
      outbox: {
        pending: 7,
        parked: 1,
        firstParked: [{ ...parked, parkedAt: since }],
        isFull: true,
        blockedReason: 'EventStoreDB refuses the user',
      },
      readModels: 'mongodb',
      leaderTasks: [
        { name: 'polling', holder: 'b', isHere: false },
        { name: 'read-models', holder: undefined, isHere: false },
      ],
      reservations: { requests: 3, amountOn: (_keyId, ruleId) => (ruleId === 1 ? 300 : 1_500_000) },
      faults: [{ code: 'outbox_full', cause: 'The outbox is full.', remedy: 'Wait.', since }],
    }),
  });
  const rule = { limit_window: 'daily', max_value: 1_000 };
  const limits = ['total_tokens', 'cost_usd'].map((limit_type) => ({ ...rule, limit_type }));
  const { body: key } = await stage.call('POST', '/api/api-keys', { body: { name: 'k', limits } });
  const { status, body } = await stage.call('GET', '/api/status');
  expect(status).toBe(200);
  expect(body).toEqual({
    node: 'a',
    nodes: ['a', 'b'],
    events: { store: 'eventstore', position: 1, cut_off_since: iso(since) },
    outbox: {
      pending: 7,
      parked: 1,
      parked_events: [{ ...parked, parked_at: iso(since) }],
      is_full: true,
      trouble: 'EventStoreDB refuses the user',
    },
    read_models: { store: 'mongodb', position: null, behind: null, trouble: 'MongoDB at h:1: connection refused' },
    opened_bundle: null,
    sole_work: [
      { name: 'polling', node: 'b', is_here: false },
      { name: 'read-models', node: null, is_here: false },
    ],
    reservations: {
      requests: 3,
      limits: [
        { level: 'key', subject: key.id, key_id: key.id, limit_id: 1, reserved_value: 300 },
        { level: 'key', subject: key.id, key_id: key.id, limit_id: 2, reserved_value: 1, reserved_cost_usd: 1.5 },
      ],
    },
    problems: [
      { code: 'outbox_full', subject: null, since: iso(since), cause: 'The outbox is full.', remedy: 'Wait.' },
    ],
  });
});
