import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { type RequestLogRow, requestRowOf } from '../../../projections/requestLog.ts';
import { completed } from '../../../test/support/management.ts';
import { position } from '../../domain/core/brands.ts';
import { RequestTable } from './requestTable.ts';
import { withoutIdleConditions } from './withoutIdleConditions.ts';

function tableOf(...requests: readonly Partial<RequestLogRow>[]) {
  const database = new DatabaseSync(':memory:');
  const table = new RequestTable(database);
  requests.forEach((fields, index) => {
    table.insert({ ...requestRowOf(completed({}) as never, position(index + 1)), ...fields });
  });
  table.flush();
  return (filter: Parameters<typeof withoutIdleConditions>[0]) => withoutIdleConditions(filter, database, table);
}

test('leaves out the lists that have the values of all requests, and no other', () => {
  const without = tableOf({ status: '200', model: 'm1' }, { status: '429', model: 'm1' });
  expect(without({ statuses: ['200', '429'], models: ['m1'] })).toEqual({});
  expect(without({ statuses: ['200'], models: ['m1', 'm2'] })).toEqual({ statuses: ['200'] });
  expect(without({ clients: [null], statuses: ['429'], conversations: ['c'] })).toEqual({
    statuses: ['429'],
    conversations: ['c'],
  });
});

test('keeps a list of clients when a request has another one, or when requests without one are not in it', () => {
  const without = tableOf({ client: 'codex' }, {});
  expect(without({ clients: [null] })).toEqual({ clients: [null] });
  expect(without({ clients: ['codex'] })).toEqual({ clients: ['codex'] });
  expect(without({ clients: [null, 'codex'] })).toEqual({});
});

test('keeps a list of models when requests are counted as other, whose own names it may not have', () => {
  expect(tableOf({ model: 'other' })({ models: ['other'] })).toEqual({ models: ['other'] });
});
