import { expect, test } from 'vitest';
import { fieldChanges } from './changes.ts';

const shown = (changes: Parameters<typeof fieldChanges>[0]) =>
  fieldChanges(changes, (ms) => new Date(ms).toISOString()).map(
    ({ field, before, after, kind }) => `${kind} ${field}: ${before} -> ${after}`,
  );

test('a field that changed says what it was and what it is', () => {
  expect(shown([{ path: '/name', before: 'old', after: 'new' }])).toEqual(['changed name: old -> new']);
});

test('what was made shows each of its fields', () => {
  expect(shown([{ path: '', before: null, after: { name: 'laptop', isActive: true, expiresAt: null } }])).toEqual([
    'added name: – -> laptop',
    'added is active: – -> yes',
  ]);
});

test('what is gone shows what it was', () => {
  expect(shown([{ path: '/10.0.0.1', before: { allowedAt: 0 }, after: null }])).toEqual([
    'removed 10.0.0.1, allowed at: 1970-01-01T00:00:00.000Z -> –',
  ]);
});

test('of a list of limits only the number that is another one is shown', () => {
  const rule = { id: 1, limitType: 'total_tokens', maxValue: 1_000 };
  const other = { id: 2, limitType: 'cost_usd', maxValue: 5 };
  expect(shown([{ path: '/rules', before: [rule, other], after: [{ ...rule, maxValue: 2_000_000 }, other] }])).toEqual([
    'changed rules, no. 1, max value: 1,000 -> 2,000,000',
  ]);
});

test('lists of plain values are one field', () => {
  expect(shown([{ path: '/allowedModels', before: ['a', 'b'], after: [] }])).toEqual([
    'changed allowed models: a, b -> none',
  ]);
});

test('that a secret changed is said, what it was is not', () => {
  expect(shown([{ path: '/hash', before: '[hidden]', after: '[hidden]' }])).toEqual([
    'changed hash: [hidden] -> [hidden]',
  ]);
});

test('names with a slash are read as the API writes them', () => {
  expect(shown([{ path: '/a~1b~0c', before: 1, after: 2 }])).toEqual(['changed a/b~c: 1 -> 2']);
});
