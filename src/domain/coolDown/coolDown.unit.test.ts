import { describe, expect, test } from 'vitest';
import { accountId, HOUR, later, MINUTE, NOW } from '../../../test/support/specification.ts';
import type { Instant } from '../core/brands.ts';
import { upcast } from '../eventTypes.ts';
import { coolDownAfterFailure, coolDownForLimit, endsWithSuccess } from './decide.ts';
import { AccountRecovered, accountsCooled, cooledIn } from './events.ts';
import { type CoolDown, changesIn, isInForce, withPending } from './state.ts';

const fail = (known: CoolDown | undefined, now: Instant, atLeastMs = 0) =>
  coolDownAfterFailure(known, { cause: 'throttled', atLeastMs }, now);
const limit = (known: CoolDown | undefined, limitedUntil: Instant, now = NOW) =>
  coolDownForLimit(known, { cause: 'usage_limit', limitedUntil }, now);
const first = fail(undefined, NOW) as CoolDown;

describe('a failure', () => {
  test('cools down for 1 s, doubled by each repetition up to 60 s', () => {
    const lengths: number[] = [];
    let known: CoolDown | undefined;
    for (let now = NOW; lengths.length < 9; now = known?.until ?? now) {
      known = fail(known, now);
      lengths.push((known?.until ?? now) - now);
    }
    expect(lengths).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test('cools down for as long as the provider asks for, up to an hour', () => {
    expect(fail(undefined, NOW, 7_000)?.until).toBe(later(7_000));
    expect(fail(undefined, NOW, 30 * HOUR)?.until).toBe(later(HOUR));
  });

  test('is the same failure while the account cools down', () =>
    expect(fail(first, later(500))).toEqual({ ...first, until: later(1_500) }));

  test('extends a cool-down only by more than a tenth of it', () => {
    expect(fail(first, later(100))).toBeUndefined();
    expect(fail(first, later(101))?.until).toBe(later(1_101));
    const long = fail(undefined, NOW, MINUTE) as CoolDown;
    expect(fail(long, later(6_000), MINUTE)).toBeUndefined();
    expect(fail(long, later(6_001), MINUTE)?.until).toBe(later(66_001));
    expect(fail(long, later(30_000))).toBeUndefined();
  });

  test('changes little in a storm: 10,000 in a minute change the cool-down less than 80 times', () => {
    let known: CoolDown | undefined;
    let changes = 0;
    for (let failure = 0; failure < 10_000; failure++) {
      const next = fail(known, later(failure * 6));
      if (next) changes++;
      known = next ?? known;
    }
    expect(changes).toBeGreaterThan(10);
    expect(changes).toBeLessThan(80);
  });

  test('starts over when the clock was set back', () => {
    const known = { ...first, failures: 5, until: later(16_000) };
    expect(fail(known, later(-HOUR))).toMatchObject({ since: later(-HOUR), until: later(1_000 - HOUR), failures: 1 });
  });
});

describe('a limit', () => {
  test('cools down until its reset, at most for an hour, and counts no failure', () => {
    expect(limit(undefined, later(MINUTE))).toEqual({
      since: NOW,
      until: later(MINUTE),
      cause: 'usage_limit',
      failures: 0,
    });
    expect(limit(undefined, later(30 * HOUR))?.until).toBe(later(HOUR));
  });

  test('is written once, however many requests it refuses', () => {
    const known = limit(undefined, later(MINUTE)) as CoolDown;
    expect(limit(known, later(MINUTE), later(20))).toBeUndefined();
    expect(fail(known, later(20))).toBeUndefined();
  });
});

describe('a success', () => {
  test('ends the cool-down', () => expect(endsWithSuccess(first, later(1_000), later(1_100))).toBe(true));

  test('ends nothing when its attempt began before the account failed', () => {
    expect(endsWithSuccess(first, later(-1), later(5_000))).toBe(false);
    expect(endsWithSuccess(undefined, NOW, NOW)).toBe(false);
  });

  test('ends a cool-down from before the clock was set back', () =>
    expect(endsWithSuccess(first, later(-HOUR), later(-HOUR))).toBe(true));
});

test('is in force until its end, unless it begins in the future', () => {
  expect([0, 999, 1_000].map((ms) => isInForce(first, later(ms)))).toEqual([true, true, false]);
  expect([-5_000, -5_001, -HOUR].map((ms) => isInForce(first, later(ms)))).toEqual([true, false, false]);
});

test('numbers the changes of an event', () => {
  const [a, b, c] = [accountId(1), accountId(2), accountId(3)];
  const cooled = accountsCooled({
    number: 7,
    requests: [
      {
        requestId: 'req_1',
        accounts: [
          { accountId: a, ...first },
          { accountId: b, ...first },
        ],
      },
      { requestId: 'req_2', accounts: [{ accountId: c, ...first }] },
    ],
  });
  expect(changesIn(cooled)).toEqual([
    { number: 7, accountId: a, coolDown: first },
    { number: 8, accountId: b, coolDown: first },
    { number: 9, accountId: c, coolDown: first },
  ]);
  const recovered = AccountRecovered({ number: 10, accountId: a, requestId: 'req_3' });
  expect(changesIn(recovered)).toEqual([{ number: 10, accountId: a, coolDown: undefined }]);
});

test('reads what earlier versions wrote, and stores alike failures together', () => {
  const [a, b, c] = [accountId(1), accountId(2), accountId(3)];
  const other = { ...first, failures: 2 };
  const accounts = [
    { accountId: a, ...first },
    { accountId: b, ...first },
    { accountId: c, ...other },
    { accountId: a, ...first },
  ];
  const data = { number: 1, requests: [{ requestId: 'req_1', accounts }] };
  const event = accountsCooled(data);
  expect(event.data.requests[0]?.cooled.map(({ accounts }) => accounts.map(([id]) => id))).toEqual([[a, b], [c], [a]]);
  expect(cooledIn(event.data)).toEqual(data.requests);
  expect(upcast('AccountsCooled', 1, data)).toEqual(event.data);
});

test('a pending change outranks the folded cool-down, also when it ends it', () => {
  const [a, b, c] = [accountId(1), accountId(2), accountId(3)];
  const longer = { ...first, until: later(MINUTE) };
  const folded = new Map([a, b].map((id) => [id, longer]));
  const pending = new Map([
    [a, { coolDown: undefined }],
    [c, { coolDown: first }],
  ]);
  const view = withPending(folded, pending);
  expect([a, b, c].map((id) => view.get(id))).toEqual([undefined, longer, first]);
});
