import { expect, test } from 'vitest';
import { chipsOf, conditionsOf, filterFrom, isChangesOnly, NO_FILTERS } from './historyFilter.ts';

const NOW = Date.parse('2026-11-21T12:34:56Z');
const read = (query: string) => filterFrom(new URLSearchParams(query));
const asked = (query: string) => conditionsOf(read(query), NOW);

test('loads only changes when no filter is set', () => {
  const { type, ...rest } = asked('');
  expect(rest).toEqual({});
  expect(type).toContain('ApiKeyLimitsChanged');
  expect(type).toContain('SessionBegun');
  expect(type).not.toContain('RequestCompleted');
  expect(type).not.toContain('AccountUsageObserved');
});

test('loads all events of a subject unless a type is chosen', () => {
  expect(asked('subject=account-a')).toEqual({ subject: ['account-a'] });
  expect(asked('subject=account-a&kind=tokens').type).toEqual([
    'TokenRefreshClaimed',
    'TokensRefreshed',
    'TokenRefreshFailed',
  ]);
});

test('the filter “everything” loads all events', () => {
  expect(asked('kind=everything')).toEqual({});
  expect(isChangesOnly(read('kind=everything'))).toBe(false);
});

test('passes types, actors, times and search to the API', () => {
  expect(asked('type=IpAllowed&actor=operator:10.0.0.1&since=2026-11-01&last=nonsense&search=10.0')).toEqual({
    type: ['IpAllowed'],
    actor: ['operator:10.0.0.1'],
    since: '2026-11-01T00:00:00.000Z',
    search: '10.0',
  });
});

test('omits a search shorter than the API accepts', () => {
  expect(asked('kind=everything&search=ab')).toEqual({});
});

test('ignores an unknown kind in the URL', () => {
  expect(read('kind=weather').kind).toEqual([]);
});

test('shows a removable chip for each filter', () => {
  const labels = { subject: (text: string) => text, actor: (text: string) => text, time: (text: string) => text };
  const chips = chipsOf(read('kind=keys&subject=apiKey-1&actor=cli&search=abc&last=1h&type=IpAllowed'), labels);
  expect(chips.map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'Search: abc',
    'Time: last hour',
    'Type: API keys',
    'Event type: IpAllowed',
    'Subject: apiKey-1',
    'Actor: cli',
  ]);
  expect(chips.every(({ without }) => Object.keys(without).every((name) => name in NO_FILTERS))).toBe(true);
});
