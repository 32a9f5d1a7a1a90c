import { expect, test } from 'vitest';
import { groupingFor } from './groupingFor.ts';
import { filterFrom } from './logFilter.ts';

test.each([
  ['', 'status'],
  ['apiKeyId=k', 'key'],
  ['model=a&model=b&last=24h', 'model'],
  ['model=a&apiKeyId=k', 'status'],
  ['attemptedAccountId=a', 'status'],
])('figures of %j are grouped by %s', (query, expected) => {
  expect(groupingFor(filterFrom(new URLSearchParams(query)))).toBe(expected);
});
