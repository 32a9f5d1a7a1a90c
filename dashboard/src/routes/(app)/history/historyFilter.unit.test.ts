import { expect, test } from 'vitest';
import { chipsOf, conditionsOf, filterFrom, isChangesOnly, NO_CONDITIONS } from './historyFilter.ts';

const NOW = Date.parse('2026-11-21T12:34:56Z');
const read = (query: string) => filterFrom(new URLSearchParams(query));
const asked = (query: string) => conditionsOf(read(query), NOW);

test('without conditions the changes are asked for, not what happens all the time', () => {
  const { type, ...rest } = asked('');
  expect(rest).toEqual({});
  expect(type).toContain('ApiKeyLimitsChanged');
  expect(type).toContain('SessionBegun');
  expect(type).not.toContain('RequestCompleted');
  expect(type).not.toContain('AccountUsageObserved');
});

test('of one subject everything is asked for, unless a kind is named', () => {
  expect(asked('subject=account-a')).toEqual({ subject: ['account-a'] });
  expect(asked('subject=account-a&kind=tokens').type).toEqual([
    'TokenRefreshClaimed',
    'TokensRefreshed',
    'TokenRefreshFailed',
  ]);
});

test('everything is everything', () => {
  expect(asked('kind=everything')).toEqual({});
  expect(isChangesOnly(read('kind=everything'))).toBe(false);
});

test('types, actors, times and texts go to the API as they are', () => {
  expect(asked('type=IpAllowed&actor=operator:10.0.0.1&since=2026-11-01&last=nonsense&search=10.0')).toEqual({
    type: ['IpAllowed'],
    actor: ['operator:10.0.0.1'],
    since: '2026-11-01T00:00:00.000Z',
    search: '10.0',
  });
});

test('a search that is too short for the API is not asked for', () => {
  expect(asked('kind=everything&search=ab')).toEqual({});
});

test('an unknown kind in the URL is left out', () => {
  expect(read('kind=weather').kind).toEqual([]);
});

test('every condition is a chip that knows its way out', () => {
  const words = { subject: (text: string) => text, actor: (text: string) => text, time: (text: string) => text };
  const chips = chipsOf(read('kind=keys&subject=apiKey-1&actor=cli&search=abc&last=1h&type=IpAllowed'), words);
  expect(chips.map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'Search: abc',
    'Time: last hour',
    'Type: API keys',
    'Event type: IpAllowed',
    'Subject: apiKey-1',
    'Actor: cli',
  ]);
  expect(chips.every(({ without }) => Object.keys(without).every((name) => name in NO_CONDITIONS))).toBe(true);
});
