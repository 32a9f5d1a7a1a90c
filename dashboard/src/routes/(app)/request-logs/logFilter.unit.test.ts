import { expect, test } from 'vitest';
import { chipsOf, conditionsOf, filterFrom, NO_CONDITIONS } from './logFilter.ts';

const NOW = Date.parse('2026-11-21T12:34:56Z');
const read = (query: string) => filterFrom(new URLSearchParams(query));
const words = { account: (id: string) => `${id}@example.com`, time: (iso: string) => iso };

test('names of the API in the URL are what the API is asked for', () => {
  const query =
    'status=429&status=error&accountId=a&model=m&reasoningEffort=high&modelOption=m:::low&search=req_1&since=2026-11-01&until=2026-11-02T00:00:00Z';
  expect(conditionsOf(read(query), NOW)).toEqual({
    status: ['429', 'error'],
    accountId: ['a'],
    model: ['m'],
    reasoningEffort: ['high'],
    modelOption: ['m:::low'],
    search: 'req_1',
    since: '2026-11-01T00:00:00.000Z',
    until: '2026-11-02T00:00:00.000Z',
  });
});

test('an empty URL asks for everything', () => {
  expect(conditionsOf(read(''), NOW)).toEqual({});
});

test('a stretch of time moves with the clock, by whole minutes, and takes the place of fixed ends', () => {
  expect(conditionsOf(read('last=24h&until=2020-01-01'), NOW)).toEqual({ since: '2026-11-20T12:34:00.000Z' });
});

test('what makes no sense in a URL is left out', () => {
  expect(
    conditionsOf(read('last=forever&since=yesterday&status=429&status=429&request=req_1&search=%20'), NOW),
  ).toEqual({
    status: ['429'],
  });
});

test('every condition is a chip that knows its way out', () => {
  const chips = chipsOf(
    read('status=429&status=error&accountId=ada&modelOption=m:::&reasoningEffort=&last=7d&search=x'),
    words,
  );
  expect(chips.map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'Search: x',
    'Time: last 7 days',
    'Status: 429',
    'Status: error',
    'Account: ada@example.com',
    'Effort: default effort',
    'Model and effort: m, default effort',
  ]);
  expect(chips.map(({ without }) => without)).toContainEqual({ status: ['error'] });
  expect(chips.every(({ without }) => Object.keys(without).every((name) => name in NO_CONDITIONS))).toBe(true);
});
