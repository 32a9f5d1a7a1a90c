import { expect, test } from 'vitest';
import { chipsOf, conditionsOf, type FilterNames, filterFrom, NO_FILTERS } from './logFilter.ts';

const NOW = Date.parse('2026-11-21T12:34:56Z');
const read = (query: string) => filterFrom(new URLSearchParams(query));
const names: FilterNames = {
  account: (id) => `${id}@example.com`,
  key: (id) => `key ${id}`,
  team: (id) => `team ${id}`,
  person: (id) => (id === 'p1' ? 'Ada' : undefined),
};

test('passes the filters in the URL to the API', () => {
  const query =
    'status=429&status=error&accountId=a&attemptedAccountId=b&model=m&reasoningEffort=high&modelOption=m:::low&search=req_1&since=2026-11-01&until=2026-11-02T00:00:00Z';
  expect(conditionsOf(read(query), NOW)).toEqual({
    status: ['429', 'error'],
    accountId: ['a'],
    attemptedAccountId: ['b'],
    model: ['m'],
    reasoningEffort: ['high'],
    modelOption: ['m:::low'],
    search: 'req_1',
    since: '2026-11-01T00:00:00.000Z',
    until: '2026-11-02T00:00:00.000Z',
  });
});

test('an empty URL sets no filter', () => {
  expect(conditionsOf(read(''), NOW)).toEqual({});
});

test('a relative time range counts back from now in whole minutes and replaces fixed ends', () => {
  expect(conditionsOf(read('last=24h&until=2020-01-01'), NOW)).toEqual({ since: '2026-11-20T12:34:00.000Z' });
});

test('ignores invalid values in the URL', () => {
  expect(
    conditionsOf(read('last=forever&since=yesterday&status=429&status=429&request=req_1&search=%20'), NOW),
  ).toEqual({
    status: ['429'],
  });
});

test('shows a removable chip for each filter', () => {
  const chips = chipsOf(
    read(
      'status=429&status=error&accountId=ada&attemptedAccountId=bob&modelOption=m:::&reasoningEffort=&last=7d&search=x',
    ),
    names,
    String,
  );
  expect(chips.map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'Search: x',
    'Time: last 7 days',
    'Status: 429',
    'Status: error',
    'Account: ada@example.com',
    'Attempted account: bob@example.com',
    'Effort: default effort',
    'Model and effort: m, default effort',
  ]);
  expect(chips.map(({ without }) => without)).toContainEqual({ status: ['error'] });
  expect(chips.every(({ without }) => Object.keys(without).every((name) => name in NO_FILTERS))).toBe(true);
});

test('names keys, owners and teams, and what a request has none of', () => {
  const query = 'apiKeyId=k1&apiKeyId=&owner=p1&owner=ci&team=t1&client=&errorCode=&transport=websocket';
  expect(conditionsOf(read(query), NOW)).toMatchObject({ apiKeyId: ['k1', ''], owner: ['p1', 'ci'], client: [''] });
  expect(chipsOf(read(query), names, String).map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'API key: key k1',
    'API key: none',
    'Owner: Ada',
    'Owner: ci',
    'Team: team t1',
    'Client: unknown',
    'Error: none',
    'Transport: WebSocket',
  ]);
});
