import { expect, test } from 'vitest';
import { fileName, writersWith } from './exportFile.ts';
import type { FilterNames } from './logFilter.ts';
import type { Entry } from './logRows.ts';

const names: FilterNames = {
  account: (id) => `${id}@example.com`,
  key: () => '=evil()',
  team: (id) => `team ${id}`,
  person: () => undefined,
};
const writers = writersWith(names);
const entry = (request_id: string) => ({ request_id, status: '200', model: 'm' }) as Entry;

test('JSON written in parts is one array', () => {
  const { begin, rows, end } = writers.json;
  const text = begin + rows([entry('1'), entry('2')], true) + rows([entry('3')], false) + end;
  expect(JSON.parse(text).map(({ request_id }: Entry) => request_id)).toEqual(['1', '2', '3']);
  expect(JSON.parse(begin + rows([], true) + end)).toEqual([]);
});

test('names the file after the time of the export', () => {
  expect(fileName('csv', Date.parse('2026-11-21T22:40:59Z'))).toBe('svc-requests-2026-11-21T22-40.csv');
});

test('CSV has names beside ids, as text that no spreadsheet runs', () => {
  const { begin, rows } = writers.csv;
  const titles = begin.slice(1).trim().split(',');
  const empty = Object.fromEntries(titles.map((title) => [title, null]));
  const row = { ...empty, ...entry('1'), account_id: 'ada', api_key_id: 'k', owner: 'free text', team: null } as Entry;
  const values = rows([row], true).trim().split(',');
  const valueUnder = (title: string) => values[titles.indexOf(title)];
  expect(['account', 'api_key', 'api_key_id', 'owner_name', 'team_name'].map(valueUnder)).toEqual([
    'ada@example.com',
    "'=evil()",
    'k',
    'free text',
    '',
  ]);
});
