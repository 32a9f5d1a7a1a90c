import { expect, test } from 'vitest';
import { matchingGroups } from './paletteMatches.ts';

const GROUPS = [
  { name: 'Pages', choices: [{ name: 'API keys' }, { name: 'Usage' }] },
  { name: 'Actions', choices: [{ name: 'Create an API key', keywords: ['new key'] }] },
  { name: 'API keys', choices: [{ name: 'a key of the pause room', keywords: ['sk-svc-1'] }, { name: 'laptop' }] },
  { name: 'Account actions', choices: [{ name: 'Pause ada@example.com' }, { name: 'Pause grace@example.com' }] },
];

const namesOf = (typed: string) =>
  matchingGroups(GROUPS, typed).flatMap(({ choices }) => choices.map(({ name }) => name));

test.each([
  ['pause ada', ['Pause ada@example.com']],
  ['PAUSE', ['Pause ada@example.com', 'Pause grace@example.com', 'a key of the pause room']],
  ['new key', ['Create an API key']],
  ['sk-svc-1', ['a key of the pause room']],
  ['api key', ['API keys', 'Create an API key']],
  ['ptop', ['laptop']],
  ['nothing like that', []],
])('%j finds %j', (typed, names) => {
  expect(namesOf(typed)).toEqual(names);
});

test('shows everything in its order before anything is typed', () => {
  expect(matchingGroups(GROUPS, ' ')).toEqual(GROUPS);
});
