import { expect, test } from 'vitest';
import { bodyOf, draftOf, emptyDraft, type KeyDraft, NO_TEAM, validate } from './keyDraft.ts';
import { newLimit, parseNumber, resetLimitCount } from './limitDraft.ts';
import type { Key } from './limits.ts';

const NOW = Date.parse('2026-01-15T12:00:00Z');
const draft = (changes: Partial<KeyDraft> = {}): KeyDraft => ({ ...emptyDraft(), name: 'laptop', ...changes });

test.each([
  ['2000000', 2_000_000],
  ['2,000,000', 2_000_000],
  ['2 000 000', 2_000_000],
  ['2m', 2_000_000],
  ['1.5k', 1_500],
  ['1B', 1_000_000_000],
])('parses %s', (text, number) => expect(parseNumber(text)).toBe(number));

test.each(['', 'many', '-1', '1.2.3', 'm', '1e3'])('rejects "%s" as a number', (text) =>
  expect(parseNumber(text)).toBeUndefined(),
);

test('requires a name of at most 128 characters', () => {
  expect(validate(draft(), NOW)).toEqual({});
  expect(validate(draft({ name: '  ' }), NOW)).toHaveProperty('name');
  expect(validate(draft({ name: 'x'.repeat(129) }), NOW).name).toBe('At most 128 characters; this name has 129.');
});

test('requires a whole number per limit and rejects duplicates', () => {
  const limits = [newLimit(-1), { ...newLimit(-2), max: '0' }, { ...newLimit(-3), max: '1.5' }];
  expect(Object.keys(validate(draft({ limits }), NOW))).toEqual(['limit--1', 'limit--2', 'limit--3']);
  const twice = [
    { ...newLimit(-1), max: '1' },
    { ...newLimit(-2), max: '2' },
  ];
  expect(validate(draft({ limits: twice }), NOW)).toEqual({ 'limit--2': 'This limit already exists.' });
  const [first, second] = twice as [KeyDraft['limits'][0], KeyDraft['limits'][0]];
  expect(validate(draft({ limits: [first, { ...second, model: 'gpt-5.5' }] }), NOW)).toEqual({});
});

test('refuses more limits and models than the API accepts, and longer models', () => {
  const limits = Array.from({ length: 101 }, (_, id) => ({ ...newLimit(id), max: '1', model: `m${id}` }));
  const models = limits.map(({ model }) => model);
  expect(validate(draft({ limits: limits.slice(1), models: models.slice(1) }), NOW)).toEqual({});
  expect(validate(draft({ limits, models }), NOW)).toEqual({
    limits: 'At most 100 limits; remove 1.',
    models: 'At most 100 models; remove 1.',
  });
  const long = 'm'.repeat(129);
  expect(validate(draft({ limits: [{ ...newLimit(7), max: '1', model: long }], models: [long] }), NOW)).toEqual({
    'model-7': 'At most 128 characters.',
    models: 'At most 128 characters for each model.',
  });
});

test('requires a last day in the future', () => {
  expect(validate(draft({ expiry: 'date' }), NOW)).toEqual({ date: 'Choose a date.' });
  expect(validate(draft({ expiry: 'date', date: '2026-01-13' }), NOW)).toEqual({
    date: 'Choose a date in the future.',
  });
  expect(validate(draft({ expiry: 'date', date: '2026-01-17' }), NOW)).toEqual({});
});

test('turns the form into the body of the request', () => {
  const limits: KeyDraft['limits'] = [{ ...newLimit(-1), max: '2m', model: ' gpt-5.5 ', onExceeded: 'stop' }];
  expect(bodyOf(draft({ name: ' laptop ', models: ['gpt-5.5'], expiry: '30', limits }), NOW)).toEqual({
    name: 'laptop',
    allowed_models: ['gpt-5.5'],
    regions: null,
    expires_at: '2026-02-14T12:00:00.000Z',
    limits: [
      {
        limit_type: 'total_tokens',
        limit_window: 'daily',
        max_value: 2_000_000,
        model_filter: 'gpt-5.5',
        on_exceeded: 'stop',
      },
    ],
  });
  expect(bodyOf(draft(), NOW)).toMatchObject({ allowed_models: null, expires_at: null, limits: [] });
});

test('restricts a key to regions, and lifts the restriction with an empty list', () => {
  expect(bodyOf(draft({ regions: ['eu', 'us'] }), NOW).regions).toEqual(['eu', 'us']);
  expect(draftOf({ ...stored, regions: ['eu'] }).regions).toEqual(['eu']);
  expect(bodyOf({ ...draftOf({ ...stored, regions: ['eu'] }), regions: [] }, NOW).regions).toBeNull();
  expect(validate(draft({ regions: ['eu', 'not a region'] }), NOW)).toHaveProperty('regions');
});

test('a key that expires on a date works until the end of that day', () => {
  const { expires_at } = bodyOf(draft({ expiry: 'date', date: '2026-03-01' }), NOW);
  const at = new Date(expires_at ?? '');
  expect([at.getFullYear(), at.getMonth(), at.getDate(), at.getHours(), at.getMinutes()]).toEqual([2026, 2, 1, 23, 59]);
});

const stored: Key = {
  id: '1',
  name: 'laptop',
  key_prefix: 'sk-svc-abcdef012',
  allowed_models: null,
  regions: null,
  expires_at: '2030-01-01T00:00:00Z',
  is_active: true,
  created_at: '2026-01-01T00:00:00Z',
  last_used_at: null,
  owner: null,
  team: null,
  limits: [
    {
      id: 7,
      limit_type: 'cost_usd',
      limit_window: 'monthly',
      max_value: 50,
      model_filter: null,
      on_exceeded: 'stop',
      reset_at: '2026-02-01T00:00:00Z',
      current_value: 3,
      reserved_value: 0,
    },
  ],
};

test('an edited key keeps its expiry unless another is chosen', () => {
  const edited = draftOf(stored);
  expect(edited.expiry).toBe('keep');
  expect(bodyOf(edited, NOW)).not.toHaveProperty('expires_at');
  expect(bodyOf({ ...edited, expiry: 'never' }, NOW).expires_at).toBeNull();
});

test('counts limits as reset unless only the maximum or what happens to streams changes', () => {
  const before = draftOf(stored);
  const [limit] = before.limits as [KeyDraft['limits'][0]];
  expect(resetLimitCount(before.limits, [{ ...limit, max: '100' }])).toBe(0);
  expect(resetLimitCount(before.limits, [{ ...limit, onExceeded: 'finish' }])).toBe(0);
  expect(resetLimitCount(before.limits, [{ ...limit, window: 'weekly' }])).toBe(1);
  expect(resetLimitCount(before.limits, [])).toBe(1);
});

test('sends owner and team when they change, and null to take the key out', () => {
  const before = draft({ owner: 'Ada', team: 't1' });
  expect(bodyOf({ ...before, owner: 'Ada ' }, NOW, before)).not.toHaveProperty('owner');
  expect(bodyOf(before, NOW, before)).not.toHaveProperty('team');
  expect(bodyOf({ ...before, owner: ' Grace', team: 't2' }, NOW, before)).toMatchObject({ owner: 'Grace', team: 't2' });
  expect(bodyOf({ ...before, owner: ' ', team: NO_TEAM }, NOW, before)).toMatchObject({ owner: null, team: null });
  expect(bodyOf(draft({ owner: 'Ada' }), NOW)).toMatchObject({ owner: 'Ada' });
  expect(bodyOf(draft(), NOW)).not.toHaveProperty('owner');
  expect(validate(draft({ owner: 'x'.repeat(129) }), NOW)).toEqual({ owner: 'At most 128 characters.' });
});
