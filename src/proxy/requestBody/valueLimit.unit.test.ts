import { expect, test } from 'vitest';
import { hasTooManyValues, MAX_VALUES } from './valueLimit.ts';

const body = (member: string) => Buffer.from(`{"model":"m","input":[],"x":${member}}`);

test('millions of tiny values are too many, in arrays and in objects', () => {
  expect(hasTooManyValues(body(`[${'[],'.repeat(MAX_VALUES)}0]`))).toBe(true);
  expect(hasTooManyValues(body(`[${'{},'.repeat(MAX_VALUES)}0]`))).toBe(true);
  expect(hasTooManyValues(body(`[${'0,'.repeat(MAX_VALUES + 1)}0]`))).toBe(true);
});

test('a long text full of commas and brackets is one value', () => {
  expect(hasTooManyValues(body(JSON.stringify('[{,'.repeat(MAX_VALUES))))).toBe(false);
});

test('a large body of ordinary values is fine, and a small one is not looked at', () => {
  expect(hasTooManyValues(body(`[${'"ordinary text of a conversation",'.repeat(100_000)}0]`))).toBe(false);
  expect(hasTooManyValues(body('[[],[],[]]'))).toBe(false);
});
