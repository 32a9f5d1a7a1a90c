import { expect, test } from 'vitest';
import type { AccountId, ApiKeyId, Position } from '../src/domain/core/brands.ts';
import { RefusalsCounted } from '../src/domain/request/events.ts';
import { attemptsOf } from '../test/contract/readModels/randomRequests.ts';
import { completed, refused } from '../test/support/management.ts';
import { earlier, HOUR, NOW } from '../test/support/specification.ts';
import { type RequestLogRow, type RequestSums, requestLog, type UnloggedRefusals } from './requestLog.ts';

const position = 7 as Position;

type Handled = ReturnType<typeof completed> | ReturnType<typeof refused> | ReturnType<typeof RefusalsCounted>;

/** The changes made by an event: rows, and sums as [roll-up, time, group, non-zero sums]. */
function written({ type, data }: Handled) {
  const rows: [collection: string, key: string, row: RequestLogRow | UnloggedRefusals][] = [];
  const sums: [rollUp: string, at: number, group: unknown, sums: Partial<RequestSums>][] = [];
  requestLog.on[type]?.({ data, position, time: NOW } as never, {
    insert: (...change) => rows.push(change),
    increment: (rollUp, at, group, added) =>
      sums.push([rollUp, at, group, Object.fromEntries(Object.entries(added).filter(([, sum]) => sum !== 0))]),
  });
  return { rows, sums };
}
const rowsOf = (event: Handled) => written(event).rows;

test('a completed request adds one row under its id', () => {
  const attempts = attemptsOf(['a', 'a'] as AccountId[]);
  const event = completed({ requestId: 'req_1', accountId: 'a' as AccountId, attempts });
  expect(rowsOf(event)).toEqual([
    [
      'requests',
      'req_1',
      {
        requestId: 'req_1',
        requestedAt: NOW,
        accountId: 'a',
        apiKeyId: null,
        owner: null,
        team: null,
        transport: 'http',
        client: null,
        clientVersion: null,
        originator: null,
        sealedOrigin: null,
        addressDigest: null,
        conversations: [],
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
        otherAccountIds: [],
        position,
      },
    ],
  ]);
});

test('a request that tried several accounts is summed up for each but its own', () => {
  const attempts = attemptsOf(['b', 'a', 'b', 'c'] as AccountId[]);
  const { rows, sums } = written(completed({ accountId: 'c' as AccountId, attempts, status: '502' }));
  expect(rows[0]?.[2]).toMatchObject({ accountId: 'c', attempts: 4, otherAccountIds: ['b', 'a'] });
  const kind = { accountId: 'c', model: 'gpt-5.1', effort: null, status: '502' };
  expect(sums.filter(([rollUp]) => rollUp === 'requestsByAttempt')).toEqual([
    ['requestsByAttempt', NOW, { attemptedAccountId: 'b', ...kind }, { requests: 1 }],
    ['requestsByAttempt', NOW, { attemptedAccountId: 'a', ...kind }, { requests: 1 }],
  ]);
});

test('an abandoned request without account or usage adds a row', () => {
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

test('a refused request adds a row without account, tokens and cost', () => {
  expect(rowsOf(refused({ requestId: 'req_3' }))).toMatchObject([
    ['requests', 'req_3', { accountId: null, status: '429', inputTokens: null, costMicroDollars: null, attempts: 0 }],
  ]);
});

test('a completed request counts in every roll-up at the time when it arrived', () => {
  const { sums } = written(completed({ keyId: 'k' as ApiKeyId, requestedAt: earlier(HOUR) }));
  const expected = {
    requests: 1,
    inputTokens: 100,
    outputTokens: 20,
    cachedInputTokens: 40,
    reasoningTokens: 8,
    costMicroDollars: 1_250,
    latencyMs: 1_200,
  };
  const kind = { accountId: 'account-1', model: 'gpt-5.1', effort: null, status: '200' };
  expect(sums).toEqual([
    ['requestsByKind', earlier(HOUR), expect.objectContaining(kind), expected],
    ['requestsBySource', earlier(HOUR), expect.objectContaining({ apiKeyId: 'k', errorCode: null }), expected],
    ['requestsByErrorCode', earlier(HOUR), expect.objectContaining({ errorCode: null }), expected],
  ]);
});

test.each([
  ['a refusal', refused()],
  ['a broken response', completed({ status: 'error', errorCode: 'stream_incomplete' })],
])('%s counts as an error', (_name, event) => {
  for (const [, , , sums] of written(event).sums) expect(sums).toMatchObject({ requests: 1, errors: 1 });
});

test('counted refusals add to the sums of their key, and one document per code', () => {
  const event = RefusalsCounted({
    keyId: 'k' as ApiKeyId,
    address: null,
    minute: NOW,
    counts: { rate_limit_exceeded: 7, model_not_allowed: 2 },
  });
  const source = { apiKeyId: 'k', owner: null, team: null, transport: 'http' };
  const minute = { minute: NOW, ...source, position };
  expect(written(event)).toEqual({
    rows: [
      ['refusals', '7 rate_limit_exceeded', { ...minute, errorCode: 'rate_limit_exceeded', unlogged: 7 }],
      ['refusals', '7 model_not_allowed', { ...minute, errorCode: 'model_not_allowed', unlogged: 2 }],
    ],
    sums: [['rate_limit_exceeded', 7] as const, ['model_not_allowed', 2] as const].flatMap(([errorCode, unlogged]) =>
      ['requestsBySource', 'requestsByErrorCode'].map((rollUp) => [
        rollUp,
        NOW,
        { ...source, errorCode },
        { unlogged },
      ]),
    ),
  });
});

test('refusals counted by address add nothing', () => {
  const event = RefusalsCounted({ keyId: null, address: '203.0.113.9', minute: NOW, counts: { invalid_api_key: 9 } });
  expect(written(event)).toEqual({ rows: [], sums: [] });
});

test('handles no other event type', () => {
  expect(Object.keys(requestLog.on)).toEqual([
    'RequestCompleted',
    'RequestRefused',
    'RequestImported',
    'RefusalsCounted',
  ]);
});
