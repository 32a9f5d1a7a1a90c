import { expect, test } from 'vitest';
import { fieldChanges } from './changes.ts';

const shown = (changes: Parameters<typeof fieldChanges>[0]) =>
  fieldChanges(changes, (ms) => new Date(ms).toISOString()).map(
    ({ field, before, after, kind }) => `${kind} ${field}: ${before} -> ${after}`,
  );

test('shows a changed field with its old and new value', () => {
  expect(shown([{ path: '/name', before: 'old', after: 'new' }])).toEqual(['changed Name: old -> new']);
});

test('shows each field of a created subject', () => {
  expect(shown([{ path: '', before: null, after: { name: 'laptop', isActive: true, expiresAt: null } }])).toEqual([
    'added Name: – -> laptop',
    'added Active: – -> yes',
  ]);
});

test('shows the last value of a removed field', () => {
  expect(shown([{ path: '/10.0.0.1', before: { allowedAt: 0 }, after: null }])).toEqual([
    'removed 10.0.0.1, added: 1970-01-01T00:00:00.000Z -> –',
  ]);
});

test('shows only the limits of a list that differ, with unit and period', () => {
  const rule = { id: 1, limitType: 'total_tokens', limitWindow: 'daily', maxValue: 1_000, modelFilter: null };
  const other = { id: 2, limitType: 'cost_usd', limitWindow: 'monthly', maxValue: 5, modelFilter: null };
  expect(shown([{ path: '/rules', before: [rule, other], after: [{ ...rule, maxValue: 2_000_000 }, other] }])).toEqual([
    'changed Limit 1: 1,000 tokens a day -> 2,000,000 tokens a day',
  ]);
  expect(shown([{ path: '/rules', before: [rule], after: [{ ...rule, onExceeded: 'stop' }] }])).toEqual([
    'changed Limit 1: 1,000 tokens a day -> 1,000 tokens a day, stops streams',
  ]);
});

test('shows a list of plain values as one field', () => {
  expect(shown([{ path: '/allowedModels', before: ['a', 'b'], after: [] }])).toEqual(['changed Models: a, b -> none']);
});

test('lists a changed secret without its values', () => {
  expect(shown([{ path: '/hash', before: '[hidden]', after: '[hidden]' }])).toEqual([
    'changed Key hash: [hidden] -> [hidden]',
  ]);
});

test('decodes the escapes of JSON Pointer', () => {
  expect(shown([{ path: '/a~1b~0c', before: 1, after: 2 }])).toEqual(['changed a/b~c: 1 -> 2']);
});
