import fc from 'fast-check';
import { expect, test } from 'vitest';
import { onKey } from '../../../test/support/levels.ts';
import { accountId, hash, keyId, later, limitRule, NOW, recorded, uuid } from '../../../test/support/specification.ts';
import { ApiKeyCreated } from '../../domain/apiKey/events.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import { usedAt } from '../../domain/limits/counters.ts';
import { type CompletedRequest, RequestAdmitted, RequestCompleted } from '../../domain/request/events.ts';
import { SessionBegun, SessionEnded } from '../../domain/session/events.ts';
import type { RecordedEvent, StoredEvent, Subscriber } from '../../eventLog/eventLog.ts';
import type { OnDurable } from '../../eventLog/outbox/outbox.ts';
import { LimitClock } from '../../state/clock/limitClock.ts';
import { startHotRunner } from '../../state/hotRunner.ts';
import type { Foundation } from './foundation.ts';
import { createPendingState } from './pendingState.ts';

const key = keyId(1);
const rules = [limitRule({ id: 1, maxValue: 1_000_000 })];
const [REQUESTS, SESSIONS] = ['requests-n1.b1_20260115', 'sessions-n1.b1_20260115'];
const NEXT_DAY = 'requests-n1.b1_20260116';
const USED = 100;

const requested = (requestId: string) => ({
  requestId,
  keyId: key,
  route: '/v1/responses',
  model: 'gpt-5',
  effort: null,
  requestedAt: NOW,
});
const admitted = (requestId: string) => RequestAdmitted({ ...requested(requestId), accountId: null });
const completed = (requestId: string) =>
  RequestCompleted({
    ...requested(requestId),
    status: '200',
    errorCode: null,
    errorMessage: null,
    accountId: accountId(1),
    latencyMs: 5,
    firstByteMs: 1,
    usage: { inputTokens: 70, cachedInputTokens: 0, outputTokens: 30, reasoningTokens: 0, isEstimated: false },
    costMicroDollars: 0 as CompletedRequest['costMicroDollars'],
    priceVersion: 'v1',
    pin: { digest: `conversation of ${requestId}`, isFallback: false },
    attempts: [],
  });
const session = { passwordId: uuid(50), totpId: null, replaces: null, expiresAt: later(60_000) };
const begun = (id: number) => SessionBegun({ sessionId: uuid(id), ...session });
const ended = (id: number) => SessionEnded({ sessionId: uuid(id) });

/** Events of one stream, with their revisions. */
const inStream = (stream: string, events: readonly object[]): RecordedEvent[] =>
  events.map((event, revision) => ({ ...event, stream, revision, position: position(1), time: NOW }) as RecordedEvent);

/** What this node writes: two days of requests, and sessions. */
const written = [
  inStream(REQUESTS, [admitted('a'), completed('b'), completed('a'), completed('c')]),
  inStream(NEXT_DAY, [completed('d'), admitted('e'), completed('e')]),
  inStream(SESSIONS, [begun(1), begun(2), ended(1)]),
];
const OPEN = ['a', 'b', 'c', 'd', 'e'];

/** A node whose log and whose outbox a test delivers by hand. */
async function startNode({
  earlier = [],
  parked = [],
}: {
  earlier?: readonly RecordedEvent[];
  parked?: readonly RecordedEvent[];
} = {}) {
  let last: Position = position(0);
  const inLog: StoredEvent[] = [];
  let fromLog: Subscriber['onEvents'] = () => undefined;
  const log = {
    subscribe(_after: Position, { onEvents, onCaughtUp }: Subscriber) {
      fromLog = onEvents;
      onCaughtUp?.();
      return { stop() {} };
    },
    async *readStream(stream: string, from = 0) {
      yield* inLog.filter((event) => event.stream === stream && event.revision >= from);
    },
  };
  const hot = await startHotRunner(log as never, (error) => expect.unreachable(error.message));
  const deliver = (event: object) => {
    last = position(last + 1);
    inLog.push({ ...event, position: last } as StoredEvent);
    void fromLog([{ ...event, position: last } as RecordedEvent]);
  };
  const created = { keyId: key, name: 'k', hash: hash('a'), prefix: 'sk', allowedModels: null, expiresAt: null, rules };
  deliver(recorded(ApiKeyCreated(created)));
  let onDurable: OnDurable = () => undefined;
  const outbox = {
    append: () => new Promise(() => {}),
    earlierStreams: new Map(earlier.map(({ stream, revision }) => [stream, revision])),
    async follow(listener: OnDurable) {
      onDurable = listener;
      listener(parked, true);
      listener(earlier, false);
    },
    start() {},
    async close() {},
  };
  const start = () =>
    createPendingState({
      clock: { limitClock: new LimitClock({ hot: hot.state, now: () => NOW, holdsOnJump: true, onJump: () => {} }) },
      folder: { node: 'n1', boot: 'b1' },
      store: { outbox, log, retryWhileUnavailable: (work: () => unknown) => work() },
      hot,
      now: () => NOW,
      nodes: { count: 1, names: ['n1'] },
    } as unknown as Foundation);
  return { hot, deliver, start, reportDurable: (event: RecordedEvent) => onDurable([event], false) };
}

test('counts each event of its own once, whether the log or the outbox delivers it first', async () => {
  // Each step takes the next event of a stream, from the log or from the outbox.
  const step = fc.record({ stream: fc.nat({ max: written.length - 1 }), isFromLog: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const node = await startNode();
      const { ledger, records, sharedLimits } = await node.start();
      const { pending } = records;
      for (const id of OPEN) ledger.reserve(id, NOW, onKey({ id: key, rules }, [[1, USED]]));
      const total = () =>
        usedAt(node.hot.state.counters.get(key), rules[0] as never, NOW) + sharedLimits.knownOn(key, 1, NOW);

      const next = written.map(() => ({ log: 0, outbox: 0 }));
      const take = (stream: number, isFromLog: boolean) => {
        const cursor = next[stream] as { log: number; outbox: number };
        const event = written[stream]?.[isFromLog ? cursor.log++ : cursor.outbox++];
        if (!event) return;
        if (isFromLog) node.deliver(event);
        else node.reportDurable(event);
        expect(total()).toBe(OPEN.length * USED);
      };
      for (const { stream, isFromLog } of steps) take(stream, isFromLog);
      for (const stream of written.keys()) {
        for (let index = 0; index < 5; index++) {
          take(stream, true);
          take(stream, false);
        }
      }

      const { state } = node.hot;
      expect(usedAt(state.counters.get(key), rules[0] as never, NOW)).toBe(OPEN.length * USED);
      expect([ledger.size, sharedLimits.knownOn(key, 1, NOW)]).toEqual([0, 0]);
      expect(pending?.openRequests()).toEqual([]);
      expect(OPEN.map((id) => pending?.pinOf(`conversation of ${id}`))).toEqual(OPEN.map(() => undefined));
      expect([...state.sessions.keys()]).toEqual([uuid(2)]);
    }),
    { numRuns: 200 },
  );
});

test('does not restore a session that the log had ended before the outbox reported its beginning', async () => {
  const node = await startNode();
  await node.start();
  const [begin, end] = inStream(SESSIONS, [begun(1), ended(1)]) as [RecordedEvent, RecordedEvent];
  node.deliver(begin);
  node.deliver(end);
  node.reportDurable(begin);
  expect([...node.hot.state.sessions.keys()]).toEqual([]);
});

test('skips events of an earlier start that the log delivered after the outbox was opened', async () => {
  const [stale, fresh] = inStream('requests-n1.a9_20260115', [completed('old'), completed('new')]) as [
    RecordedEvent,
    RecordedEvent,
  ];
  const node = await startNode({ earlier: [stale, fresh].reverse() });
  node.deliver(stale);
  const { sharedLimits } = await node.start();
  expect(sharedLimits.knownOn(key, 1, NOW)).toBe(USED);
  node.deliver(fresh);
  expect(sharedLimits.knownOn(key, 1, NOW)).toBe(0);
  expect(usedAt(node.hot.state.counters.get(key), rules[0] as never, NOW)).toBe(2 * USED);
});

test('counts parked requests of an earlier start for good, and restores nothing that may have ended since', async () => {
  const [, , parkedRequest, , announced] = inStream('requests-n1.a9_20260115', [
    completed('x'),
    completed('y'),
    completed('z'),
    completed('w'),
    admitted('v'),
  ]) as [RecordedEvent, RecordedEvent, RecordedEvent, RecordedEvent, RecordedEvent];
  const [begin] = inStream('sessions-n1.a9_20260115', [begun(1)]) as [RecordedEvent];
  const [, end] = inStream('sessions-n1.a8_20260115', [begun(2), ended(2)]) as [RecordedEvent, RecordedEvent];
  const node = await startNode({ parked: [parkedRequest, announced, begin, end] });
  // The log went on behind the parked events, in this start and before.
  for (const event of inStream('sessions-n1.a8_20260115', [begun(2)])) node.deliver(event);
  for (const event of inStream('requests-n1.a9_20260115', [completed('x'), completed('y')])) node.deliver(event);
  const { records, sharedLimits } = await node.start();
  expect(sharedLimits.knownOn(key, 1, NOW)).toBe(USED);
  node.deliver({ ...parkedRequest, ...completed('w'), revision: 3 });
  expect(sharedLimits.knownOn(key, 1, NOW)).toBe(USED);
  expect(records.pending?.openRequests()).toEqual([]);
  expect([...node.hot.state.sessions.keys()]).toEqual([]);
  // `svc outbox retry` puts it into another stream.
  node.deliver({ ...parkedRequest, stream: 'requests-n1.a99_20260115', revision: 0 });
  expect(sharedLimits.knownOn(key, 1, NOW)).toBe(0);
  expect(usedAt(node.hot.state.counters.get(key), rules[0] as never, NOW)).toBe(4 * USED);
});
