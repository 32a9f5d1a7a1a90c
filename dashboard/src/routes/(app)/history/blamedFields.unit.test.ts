import { expect, test } from 'vitest';
import { type BlamedField, blamedLabel, editedFields } from './blamedFields.ts';

const field = (path: string, changes: Partial<BlamedField> = {}): BlamedField => ({
  path,
  value: 1,
  is_forgotten: false,
  source: 'event',
  position: 1,
  time: '2026-01-01T00:00:00.000Z',
  type: 'ApiKeyCreated',
  actor: null,
  sentence: null,
  ...changes,
});

test.each([
  ['/routing_strategy', 'Strategy'],
  ['/is_active', 'Active'],
  ['/limits/1/max_value', 'Limit 1, max value'],
])('labels %s as its page does', (path, label) => expect(blamedLabel({ path })).toBe(label));

test('lists what was changed last first, without ids and without what follows from requests', () => {
  const fields = [
    field('/id'),
    field('/name', { position: 3 }),
    field('/last_used_at', { source: 'requests' }),
    field('/is_active', { position: 7 }),
    field('/team', { position: null }),
  ];
  expect(editedFields(fields).map(({ path }) => path)).toEqual(['/is_active', '/name', '/team']);
});
