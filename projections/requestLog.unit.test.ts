import { expect, test } from 'vitest';
import type { AccountId, Position } from '../src/domain/brands.ts';
import type { CompletedRequest } from '../src/domain/request/events.ts';
import { completed, refused } from '../test/support/management.ts';
import { NOW } from '../test/support/specification.ts';
import { type RequestLogRow, requestLog } from './requestLog.ts';

const position = 7 as Position;

function rowsOf({ type, data }: ReturnType<typeof completed> | ReturnType<typeof refused>) {
  const rows: [collection: string, key: string, row: RequestLogRow][] = [];
  requestLog.on[type]?.({ data, position, time: NOW } as never, { insert: (...change) => rows.push(change) });
  return rows;
}

test('a request that ended is one row under its id', () => {
  const attempt = { accountId: 'a', outcome: 'ok' } as unknown as CompletedRequest['attempts'][number];
  const event = completed({ requestId: 'req_1', accountId: 'a' as AccountId, attempts: [attempt, attempt] });
  expect(rowsOf(event)).toEqual([
    [
      'requests',
      'req_1',
      {
        requestId: 'req_1',
        requestedAt: NOW,
        accountId: 'a',
        apiKeyId: null,
        route: '/v1/responses',
        model: 'gpt-5.1',
        effort: null,
        status: '200',
        errorCode: null,
        errorMessage: null,
        inputTokens: 100,
        outputTokens: 20,
        cachedInputTokens: 40,
        reasoningTokens: 8,
        costMicroDollars: 1_250,
        latencyMs: 1_200,
        firstByteMs: 300,
        attempts: 2,
        position,
      },
    ],
  ]);
});

test('an abandoned request without account or usage is a row too', () => {
  const event = completed({
    requestId: 'req_2',
    accountId: null,
    usage: null,
    costMicroDollars: null,
    firstByteMs: null,
  });
  expect(rowsOf(event)).toMatchObject([
    ['requests', 'req_2', { accountId: null, inputTokens: null, outputTokens: null, cachedInputTokens: null }],
  ]);
});

test('a refused request is a row without account, tokens and cost', () => {
  expect(rowsOf(refused({ requestId: 'req_3' }))).toMatchObject([
    ['requests', 'req_3', { accountId: null, status: '429', inputTokens: null, costMicroDollars: null, attempts: 0 }],
  ]);
});

test('nothing else makes a row', () => {
  expect(Object.keys(requestLog.on)).toEqual(['RequestCompleted', 'RequestRefused']);
});
