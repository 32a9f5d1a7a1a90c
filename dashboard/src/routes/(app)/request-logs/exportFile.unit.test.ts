import { expect, test } from 'vitest';
import { fileName, writers } from './exportFile.ts';
import type { Entry } from './logRows.ts';

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
