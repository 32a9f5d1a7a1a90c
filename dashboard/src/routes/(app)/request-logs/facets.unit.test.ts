import { expect, test } from 'vitest';
import { facetsOf, type LogOptions } from './facets.ts';
import { type FilterNames, filterFrom } from './logFilter.ts';

const options: LogOptions = {
  account_ids: ['a', 'b'],
  attempted_account_ids: ['a', 'b'],
  api_key_ids: ['k'],
  owners: ['Ada'],
  teams: [],
  error_codes: [],
  statuses: ['200', 'error'],
  model_options: [
    { model: 'large', reasoning_effort: 'high' },
    { model: 'large', reasoning_effort: null },
    { model: 'small', reasoning_effort: 'high' },
  ],
  counts: {
    account_ids: { a: 3, b: 40 },
    api_key_ids: { k: 7 },
    owners: { Ada: 6 },
    teams: {},
    error_codes: {},
    attempted_account_ids: { a: 25, b: 40 },
    statuses: { 200: 42, error: 1 },
    model_options: [20, 3, 20],
  },
};
const names: FilterNames = {
  account: (id) => id.toUpperCase(),
  key: (id) => `key ${id}`,
  team: (id) => `team ${id}`,
  person: () => undefined,
};
const shown = (query: string) => {
  const facets = facetsOf(options, filterFrom(new URLSearchParams(query)), names);
  return Object.fromEntries(
    Object.entries(facets).map(([name, list]) => [name, list.map(({ label, count }) => `${label} ${count}`)]),
  );
};

test('sorts by frequency and sums models and efforts over their pairs', () => {
  expect(shown('')).toEqual({
    status: ['200 42', 'error 1'],
    accountId: ['B 40', 'A 3'],
    attemptedAccountId: ['B 40', 'A 25'],
    model: ['large 23', 'small 20'],
    reasoningEffort: ['high 40', 'default effort 3'],
    modelOption: ['large, high 20', 'small, high 20', 'large, default effort 3'],
    apiKeyId: ['key k 7'],
    owner: ['Ada 6'],
    team: [],
    errorCode: [],
    client: [],
    transport: ['HTTP undefined', 'Imported from codex-lb undefined', 'WebSocket undefined'],
  });
});

test('filters models by effort and efforts by model, but neither by itself', () => {
  const { model, reasoningEffort, modelOption } = shown('model=large&reasoningEffort=');
  expect(model).toEqual(['large 3']);
  expect(reasoningEffort).toEqual(['high 20', 'default effort 3']);
  expect(modelOption).toEqual(['large, default effort 3']);
});

test('keeps a chosen value without matches in its menu', () => {
  expect(shown('status=418').status).toEqual(['200 42', 'error 1', '418 0']);
  const facets = facetsOf(undefined, filterFrom(new URLSearchParams('status=418')), names);
  expect(facets.status).toEqual([{ value: '418', label: '418', count: undefined }]);
});

test('shows no counts during a search', () => {
  expect(shown('search=x').status).toEqual(['200 undefined', 'error undefined']);
});
