import { expect, test } from 'vitest';
import { hasTooManyValues, MAX_VALUES } from './valueLimit.ts';

const body = (member: string) => Buffer.from(`{"model":"m","input":[],"x":${member}}`);

test('rejects millions of tiny values, in arrays and in objects', () => {
  expect(hasTooManyValues(body(`[${'[],'.repeat(MAX_VALUES)}0]`))).toBe(true);
  expect(hasTooManyValues(body(`[${'{},'.repeat(MAX_VALUES)}0]`))).toBe(true);
  expect(hasTooManyValues(body(`[${'0,'.repeat(MAX_VALUES + 1)}0]`))).toBe(true);
});

test('counts a string full of commas and brackets as one value', () => {
  expect(hasTooManyValues(body(JSON.stringify('[{,'.repeat(MAX_VALUES))))).toBe(false);
});

test('accepts a large body of ordinary values, and every small one', () => {
  expect(hasTooManyValues(body(`[${'"ordinary text of a conversation",'.repeat(100_000)}0]`))).toBe(false);
  expect(hasTooManyValues(body('[[],[],[]]'))).toBe(false);
});
