import { expect, test } from 'vitest';
import { accountId, DAY, hash, keyId, later, limitRule, NOW, recorded } from '../../../test/support/specification.ts';
import { ApiKeyCreated } from '../../domain/apiKey/events.ts';
import { type CompletedRequest, RequestAdmitted, RequestCompleted } from '../../domain/request/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { PendingRequests } from './pendingRequests.ts';

const key = keyId(1);

function createNode() {
  const hot = new HotState();
  const rules = [limitRule(), limitRule({ id: 2, limitType: 'cost_usd', limitWindow: 'weekly' })];
  const created = { keyId: key, name: 'k', hash: hash('a'), prefix: 'sk', allowedModels: null, expiresAt: null, rules };
  hot.apply(recorded(ApiKeyCreated(created)) as RecordedEvent);
  return { hot, pending: new PendingRequests(hot) };
}

const requested = (requestId: string) => ({
  requestId,
  keyId: key,
  route: '/v1/responses',
  model: 'gpt-5',
  effort: null,
  requestedAt: NOW,
});
const admitted = (requestId: string) =>
  recorded(RequestAdmitted({ ...requested(requestId), accountId: null })) as RecordedEvent;
const completed = (requestId: string, changes: Partial<CompletedRequest> = {}) =>
  recorded(
    RequestCompleted({
      ...requested(requestId),
      status: '200',
      errorCode: null,
      errorMessage: null,
      accountId: accountId(1),
      latencyMs: 5,
      firstByteMs: 1,
      usage: { inputTokens: 70, cachedInputTokens: 0, outputTokens: 30, reasoningTokens: 0, isEstimated: false },
      costMicroDollars: 1_500 as CompletedRequest['costMicroDollars'],
      priceVersion: 'v1',
      attempts: [],
      ...changes,
    }),
  ) as RecordedEvent;

test('counts usage from the outbox on the limits until the log has it', () => {
  const { pending } = createNode();
  pending.onDurable(completed('a'));
  pending.onDurable(completed('b'));
  expect([pending.usedOn(key, 1, NOW), pending.usedOn(key, 2, NOW)]).toEqual([200, 3_000]);
  pending.onFolded(completed('a'));
  pending.onFolded(completed('of another node'));
  expect(pending.usedOn(key, 1, NOW)).toBe(100);
  pending.onFolded(completed('b'));
  pending.onFolded(completed('b'));
  expect([pending.usedOn(key, 1, NOW), pending.usedOn(key, 2, NOW)]).toEqual([0, 0]);
});

test('counts usage in its own window only, however long the store is unreachable', () => {
  const { pending } = createNode();
  pending.onDurable(completed('a'));
  expect(pending.usedOn(key, 1, later(DAY - 1))).toBe(100);
  expect([pending.usedOn(key, 1, later(DAY)), pending.usedOn(key, 2, later(DAY))]).toEqual([0, 1_500]);
});

test('pins a conversation to the account of its last successful request', () => {
  const { pending } = createNode();
  const pin = { digest: 'conversation', isFallback: false };
  pending.onDurable(completed('a', { pin }));
  pending.onDurable(completed('b', { pin, accountId: accountId(2) }));
  pending.onDurable(completed('c', { pin: { ...pin, isFallback: true }, accountId: accountId(3) }));
  pending.onDurable(completed('d', { pin, accountId: accountId(4), status: 'error' }));
  pending.onFolded(completed('a', { pin }));
  expect(pending.pinOf('conversation')).toBe(accountId(2));
  pending.onFolded(completed('b', { pin, accountId: accountId(2) }));
  expect(pending.pinOf('conversation')).toBeUndefined();
});

test('lists the requests that are open according to log and outbox', () => {
  const { hot, pending } = createNode();
  for (const id of ['a', 'b']) hot.apply(admitted(id));
  for (const id of ['c', 'd']) pending.onDurable(admitted(id));
  pending.onDurable(completed('b'));
  pending.onDurable(completed('c'));
  expect(pending.openRequests().map(({ data }) => data.requestId)).toEqual(['a', 'd']);
});

test('lists no request whose end the log has already, while its announcement is parked in the outbox', () => {
  const { hot, pending } = createNode();
  pending.onDurable(admitted('a'));
  expect(pending.openRequests()).toHaveLength(1);
  hot.apply(completed('a', { announcements: 1 }));
  expect(pending.openRequests()).toEqual([]);
  hot.apply(admitted('a'));
  pending.onFolded(admitted('a'));
  expect(pending.openRequests()).toEqual([]);
});

test('counts the announcements of an open request in log and outbox', () => {
  const { hot, pending } = createNode();
  for (const event of [admitted('a'), admitted('a')]) hot.apply(event);
  for (const event of [admitted('a'), admitted('a')]) pending.onDurable(event);
  expect(pending.openRequests()).toMatchObject([{ announcements: 4 }]);
  hot.apply(admitted('a'));
  pending.onFolded(admitted('a'));
  expect(pending.openRequests()).toMatchObject([{ announcements: 4 }]);
});
