import { expect, test } from 'vitest';
import { accountId, importedAccount, later, MINUTE, NOW, recorded } from '../../../test/support/specification.ts';
import { AccountDeleted, AccountImported } from '../../domain/account/events.ts';
import { type Instant, position } from '../../domain/core/brands.ts';
import type { EventToAppend, RecordedEvent } from '../../eventLog/eventLog.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { Cooldowns } from './cooldowns.ts';

const [a, b] = [accountId(1), accountId(2)];
const STREAM = 'requests-n1.b1_20260115';

/** The cool-downs of a node, a hot state that folds what it writes when the test says so, and a clock. */
function startNode() {
  const hot = new HotState();
  const clock = { now: NOW };
  const written: EventToAppend[] = [];
  let giveUp: (() => void)[] = [];
  let next = 0;
  const apply = (event: object, stream = STREAM) => {
    const full = { ...event, stream, revision: 0, position: position(hot.position + 1), time: clock.now };
    hot.apply(full as RecordedEvent);
    cooldowns.onFolded(full as RecordedEvent);
  };
  const cooldowns = new Cooldowns({
    folded: hot.coolDowns,
    record(event, onGivenUp) {
      written.push(event);
      giveUp.push(onGivenUp);
      return Promise.resolve();
    },
    isOfThisStart: (stream) => stream.startsWith('requests-n1.b1_'),
    now: () => clock.now,
  });
  for (const id of [a, b]) apply(recorded(AccountImported(importedAccount({ accountId: id }))), `account-${id}`);
  return {
    ...{ hot, clock, written, cooldowns, apply },
    fail: (id = a, requestId = 'req_1', atLeastMs = 0) =>
      cooldowns.add(id, 'throttled', requestId, clock.now, atLeastMs),
    succeed: (startedAt: Instant, id = a) => cooldowns.succeeded(id, 'req_9', startedAt),
    /** The data of what was written since the last call. */
    flushed() {
      const first = written.length;
      cooldowns.flush();
      return written.slice(first).map(({ type, data }) => ({ type, data }));
    },
    fold() {
      for (const event of written.slice(next)) apply(event);
      next = written.length;
    },
    giveUp() {
      for (const call of giveUp) call();
      giveUp = [];
    },
  };
}

test('writes the failures of a moment as one event that names their requests', () => {
  const { fail, flushed } = startNode();
  fail(a, 'req_1');
  fail(b, 'req_1', MINUTE);
  expect(flushed()).toEqual([
    {
      type: 'AccountsCooled',
      data: {
        number: 1,
        requests: [
          {
            requestId: 'req_1',
            cooled: [
              {
                cause: 'throttled',
                failures: 1,
                accounts: [
                  [a, NOW, later(1_000)],
                  [b, NOW, later(MINUTE)],
                ],
              },
            ],
          },
        ],
      },
    },
  ]);
  expect(flushed()).toEqual([]);
});

test('writes without being asked when no request ends for a moment', async () => {
  const { fail, written } = startNode();
  fail();
  await expect.poll(() => written.length, { timeout: 2_000 }).toBe(1);
});

test('bounds the accounts of an event', () => {
  const { fail, flushed } = startNode();
  for (let index = 1; index <= 50; index++) fail(accountId(index), 'req_1');
  const events = flushed() as { data: { number: number; requests: { cooled: { accounts: unknown[] }[] }[] } }[];
  expect(events.map(({ data: { number, requests } }) => [number, requests[0]?.cooled[0]?.accounts.length])).toEqual([
    [1, 20],
    [21, 20],
    [41, 10],
  ]);
});

test('counts requests that fail together as one failure, and writes it once', () => {
  const { fail, flushed, clock, cooldowns } = startNode();
  for (let request = 0; request < 20; request++) {
    clock.now = later(request);
    fail(a, `req_${request}`);
  }
  expect(flushed()).toHaveLength(1);
  expect(cooldowns.get(a)).toMatchObject({ until: later(1_000), failures: 1 });
});

test('knows a failure at once, and from the log afterwards', () => {
  const { fail, cooldowns, fold, flushed, hot } = startNode();
  expect(cooldowns.lastPending).toBeUndefined();
  fail();
  expect(cooldowns.get(a)?.until).toBe(later(1_000));
  expect(cooldowns.lastPending).toBe(1);
  flushed();
  fold();
  expect(hot.coolDowns.get(a)?.until).toBe(later(1_000));
  expect(cooldowns.get(a)).toEqual(hot.coolDowns.get(a));
  expect(cooldowns.lastPending).toBeUndefined();
});

test('continues the count that another node began', () => {
  const { fail, cooldowns, apply, clock } = startNode();
  const other = startNode();
  other.fail();
  other.flushed();
  for (const event of other.written) apply(event, 'requests-n2.b7_20260115');
  expect(cooldowns.get(a)?.until).toBe(later(1_000));
  clock.now = later(5_000);
  fail();
  expect(cooldowns.get(a)).toMatchObject({ until: later(7_000), failures: 2 });
});

test('keeps its own newer change when an older one is folded', () => {
  const { fail, cooldowns, clock, flushed, fold } = startNode();
  fail();
  flushed();
  clock.now = later(1_000);
  fail();
  fold();
  expect(cooldowns.get(a)).toMatchObject({ until: later(3_000), failures: 2 });
  expect(cooldowns.lastPending).toBe(2);
});

test('writes the end once, by the first success after the cool-down', () => {
  const { fail, succeed, flushed, fold, clock, cooldowns, hot } = startNode();
  fail();
  succeed(later(-500));
  expect(flushed()).toHaveLength(1);
  fold();
  clock.now = later(2_000);
  succeed(later(1_500));
  succeed(later(1_600));
  expect(flushed()).toEqual([{ type: 'AccountRecovered', data: { number: 2, accountId: a, requestId: 'req_9' } }]);
  expect(cooldowns.get(a)).toBeUndefined();
  fold();
  expect([...hot.coolDowns]).toEqual([]);
  fail();
  expect(cooldowns.get(a)?.until).toBe(later(3_000));
});

test('forgets a change that the log will never have', () => {
  const { fail, flushed, giveUp, cooldowns } = startNode();
  fail();
  flushed();
  giveUp();
  expect(cooldowns.get(a)).toBeUndefined();
  expect(cooldowns.lastPending).toBeUndefined();
});

test('drops the cool-downs of a deleted account, also those that arrive later', () => {
  const { fail, flushed, fold, apply, hot } = startNode();
  fail(a);
  fail(b);
  flushed();
  fold();
  apply(recorded(AccountDeleted({ accountId: a })), `account-${a}`);
  expect([...hot.coolDowns.keys()]).toEqual([b]);
  fail(a);
  flushed();
  fold();
  expect([...hot.coolDowns.keys()]).toEqual([b]);
});
