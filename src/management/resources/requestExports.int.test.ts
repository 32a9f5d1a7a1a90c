import { expect, test } from 'vitest';
import { startManagement } from '../../../test/support/management.ts';
import { RequestsExported } from '../../domain/audit/events.ts';

test('records an export with its filter and its actor, and says how many requests match', async () => {
  const stage = await startManagement();
  const body = {
    format: 'csv',
    status: ['error'],
    reasoningEffort: ['', 'high'],
    search: 'req_',
    until: '2026-01-15T12:00:00+01:00',
  };
  const { status, body: answer } = await stage.call('POST', '/api/request-logs/exports', { body });
  expect([status, answer]).toEqual([200, { matching: 0 }]);
  const { events } = (await stage.call('GET', `/api/history?type=${RequestsExported.type}`)).body;
  expect(events).toEqual([
    expect.objectContaining({
      subject: 'audit-main',
      actor: expect.objectContaining({ kind: 'operator' }),
      sentence:
        '0 requests of the request log were exported as CSV ' +
        '(status error; effort none, high; with the text req_; until 2026-01-15T11:00:00.000Z)',
    }),
  ]);
});

test('refuses a format, a filter and a field that it does not have, and records nothing', async () => {
  const stage = await startManagement();
  for (const body of [
    {},
    { format: 'xml' },
    { format: 'csv', status: [] },
    { format: 'csv', status: Array(51).fill('error') },
    { format: 'json', limit: 5 },
    { format: 'json', since: 'tomorrow' },
  ]) {
    const { status, body: answer } = await stage.call('POST', '/api/request-logs/exports', { body });
    expect([status, answer.error?.code], JSON.stringify(body)).toEqual([400, 'validation_error']);
  }
  expect((await stage.call('GET', '/api/history')).body.events).toEqual([]);
});
