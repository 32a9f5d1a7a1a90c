import { expect, test } from 'vitest';
import type { Schemas } from '#lib/api/client.ts';
import { serviceProblems } from './serviceProblems.ts';

const embedded: Schemas['Status'] = {
  node: 'a',
  nodes: ['a'],
  events: { store: 'embedded', position: 7, cut_off_since: null },
  outbox: null,
  read_models: { store: 'embedded', position: 7, behind: 0, trouble: null },
  sole_work: [],
  reservations: { requests: 0, limits: [] },
  problems: [],
  opened_bundle: null,
};
const pair = (changes: Partial<Schemas['Status']> = {}): Schemas['Status'] => ({
  ...embedded,
  events: { store: 'eventstore', position: 7, cut_off_since: null },
  outbox: { pending: 3, parked: 0, parked_events: [], is_full: false, trouble: null },
  read_models: { store: 'mongodb', position: 7, behind: 0, trouble: null },
  ...changes,
});
const summaries = (status: Schemas['Status']) => serviceProblems(status).map(({ tone, text }) => `${tone}: ${text}`);

test('reports nothing for a healthy service, also with some pending events', () => {
  expect([summaries(embedded), summaries(pair())]).toEqual([[], []]);
});

test('reports an unreachable EventStoreDB with the time of its last response', () => {
  const since = '2026-01-15T11:58:00.000Z';
  const found = serviceProblems(pair({ events: { store: 'eventstore', position: 7, cut_off_since: since } }));
  expect(found).toEqual([
    {
      tone: 'bad',
      text: 'EventStoreDB does not respond',
      detail: expect.stringMatching(/Model requests and sign-in continue; changes are refused/),
      at: { label: 'last response', time: since, as: 'ago' },
      action: null,
    },
  ]);
});

test('reports a backed-up outbox, and what to do when it is full', () => {
  const trouble = 'EventStoreDB refuses the user';
  const waiting = serviceProblems(
    pair({ outbox: { pending: 40, parked: 0, parked_events: [], is_full: false, trouble } }),
  );
  expect(waiting).toMatchObject([{ tone: 'warn', text: '40 events wait for EventStoreDB' }]);
  expect(waiting[0]?.detail).toContain(trouble);
  expect(
    summaries(pair({ outbox: { pending: 12_000, parked: 0, parked_events: [], is_full: false, trouble: null } })),
  ).toEqual(['warn: 12,000 events wait for EventStoreDB']);
  const full = serviceProblems(
    pair({ outbox: { pending: 1_000_000, parked: 0, parked_events: [], is_full: true, trouble } }),
  );
  expect(full).toMatchObject([{ tone: 'bad', text: 'New model requests are refused: the outbox is full' }]);
  expect(full[0]?.detail).toContain('1,000,000 events wait');
});

test('reports events that EventStoreDB refuses for good', () => {
  const event = { id: '1', type: 'RequestCompleted', stream: 'requests-a.b_20260115', bytes: 9, parked_at: '' };
  const outbox = {
    pending: 0,
    parked: 2,
    parked_events: [{ ...event, reason: 'too large' }],
    is_full: false,
    trouble: null,
  };
  const found = serviceProblems(pair({ outbox }));
  expect(found).toMatchObject([{ tone: 'warn', text: 'EventStoreDB refuses 2 events for good' }]);
  expect(found[0]?.detail).toContain('svc outbox list names them. too large');
});

test('reports read models that are unavailable or far behind', () => {
  const readModels = (changes: Partial<Schemas['Status']['read_models']>) =>
    summaries(pair({ read_models: { store: 'mongodb', position: 7, behind: 0, trouble: null, ...changes } }));
  expect(readModels({ position: null, behind: null, trouble: 'connection refused' })).toEqual([
    'bad: MongoDB does not respond',
  ]);
  expect(readModels({ behind: 900 })).toEqual([]);
  expect(readModels({ behind: 25_000 })).toEqual(['warn: Request log and charts are not up to date']);
});

test('reports that nothing restricts who may send model requests, and leads to the setting', () => {
  const problem = { subject: null, since: '2026-01-15T12:00:00.000Z', cause: 'Anyone could.', remedy: 'Require keys.' };
  const found = serviceProblems({ ...embedded, problems: [{ ...problem, code: 'remote_access_disabled' }] });
  expect(found).toEqual([
    {
      tone: 'warn',
      text: 'Model requests from other machines are refused',
      detail: 'Anyone could. Require keys.',
      at: null,
      action: { label: 'Require API keys', href: '/settings' },
    },
  ]);
});

test('offers to accept the clock while limits do not follow it, and only then', () => {
  const problem = { subject: null, since: '2026-01-15T12:00:00.000Z', cause: 'It is behind.', remedy: 'Accept it.' };
  const codes = ['clock_behind_limits', 'clock_jumped', 'high_water_mark_stale'];
  const found = serviceProblems({ ...embedded, problems: codes.map((code) => ({ ...problem, code })) });
  expect(found.map(({ text, action }) => [text, action])).toEqual([
    ['Limits are ahead of the clock', { label: 'Accept clock', command: 'acceptClock' }],
    ['The clock of this node jumped', null],
  ]);
  expect(found[0]?.detail).toBe('It is behind. Accept it.');
});
