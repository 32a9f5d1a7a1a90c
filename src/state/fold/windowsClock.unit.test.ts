import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completed, refused } from '../../../test/support/management.ts';
import { DAY, HOUR, keyId, later, limitRule, NOW } from '../../../test/support/specification.ts';
import { ApiKeyCreated, ApiKeyLimitsChanged } from '../../domain/apiKey/events.ts';
import { ClockAccepted } from '../../domain/clock/events.ts';
import { type Instant, position } from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import { usedAt } from '../../domain/limits/counters.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { HotState } from './hotState.ts';

const KEY = keyId(1);
const daily = limitRule();
const rules = [daily, limitRule({ id: 2, limitWindow: 'weekly' }), limitRule({ id: 3, limitWindow: 'monthly' })];
const key = (createdAt: Instant = NOW) =>
  ApiKeyCreated({
    keyId: KEY,
    hash: '0'.repeat(64),
    prefix: 'sk-svc-00000000',
    name: 'limited',
    allowedModels: null,
    expiresAt: null,
    rules: rules.map((rule) => ({ ...rule, createdAt })),
  });

const admission = (asOf: Instant, decidedAt = 1) => ({
  ...{ asOf, decidedAt: position(decidedAt), v: 3 },
  estimate: { inputTokens: 1, outputTokens: 1, costMicroDollars: 0 },
  reserved: rules.map(({ id }): [string, string, number, number] => ['key', KEY, id, 0]),
});
/** A request of 120 tokens, admitted at `asOf` by a node whose clock shows `requestedAt`. */
const request = (asOf: Instant, requestedAt: Instant = asOf, decidedAt = 1) =>
  completed({ keyId: KEY, requestedAt, admission: admission(asOf, decidedAt) });

function fold(events: readonly DomainEvent[], state = new HotState(), onFolded = (_: HotState) => {}): HotState {
  for (const event of events) {
    const place = { position: position(state.position + 1), time: NOW, stream: `requests-n.b_${state.position}` };
    state.apply({ ...event, ...place, revision: 0 } as RecordedEvent);
    onFolded(state);
  }
  return state;
}

const used = (state: HotState, at: Instant, rule = daily) => usedAt(state.counters.get(KEY), rule, at);

test('counts a request in the window of its admission, whatever the clock of its node showed', () => {
  const state = fold([key(), request(later(DAY + 1), later(HOUR))]);
  expect(used(state, later(DAY))).toBe(120);
  expect(used(state, later(HOUR))).toBe(0);
});

test('requests, refusals and new limits move the clock of the windows', () => {
  expect(fold([key()]).windowsClock.time).toBe(NOW);
  expect(fold([key(), request(later(1))]).windowsClock.time).toBe(later(1));
  const refusal = refused({ keyId: KEY, requestedAt: NOW, admission: admission(later(2)) });
  expect(fold([key(), refusal]).windowsClock.time).toBe(later(2));
  const created = ApiKeyLimitsChanged({
    keyId: KEY,
    name: 'limited',
    from: [],
    to: [limitRule({ createdAt: later(3) })],
  });
  expect(fold([key(), created]).windowsClock.time).toBe(later(3));
});

test('requests that no limit applied to do not move the clock of the windows', () =>
  expect(fold([key(), completed({ keyId: KEY, requestedAt: later(400 * DAY) })]).windowsClock.time).toBe(NOW));

/** Admissions of several nodes, each with its own clock; a node admits at no time before the windows' clock that it has folded. */
const admissions = fc.array(
  fc.record({ offset: fc.integer({ min: -2 * DAY, max: 2 * DAY }), isRefused: fc.boolean() }),
  { minLength: 1, maxLength: 30 },
);

test('the clock of the windows never goes back, however the clocks of the nodes jump', () => {
  fc.assert(
    fc.property(admissions, (steps) => {
      const state = fold([key()]);
      let [last, index] = [state.windowsClock.time, 0];
      for (const [hour, { offset, isRefused }] of steps.entries()) {
        const wall = later(hour * HOUR + offset);
        const asOf = windowsTime(state.windowsClock, wall);
        const before = used(state, asOf);
        fold(
          [isRefused ? refused({ keyId: KEY, requestedAt: wall, admission: admission(asOf) }) : request(asOf, wall)],
          state,
        );
        expect(state.windowsClock.time).toBeGreaterThanOrEqual(last);
        expect(windowIndexAt(daily, state.windowsClock.time)).toBeGreaterThanOrEqual(index);
        // Nothing is admitted without being counted where the next admission looks.
        expect(used(state, windowsTime(state.windowsClock, wall))).toBe(before + (isRefused ? 0 : 120));
        [last, index] = [state.windowsClock.time, windowIndexAt(daily, state.windowsClock.time)];
      }
    }),
  );
});

test('gives the same clock and counters however the events of nodes are interleaved', () => {
  const anyRequests = fc.array(fc.integer({ min: 0, max: DAY - 1 }), { minLength: 1, maxLength: 20 });
  const interleaved = anyRequests.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
  );
  fc.assert(
    fc.property(interleaved, ([list, shuffled]) => {
      const [one, other] = [list, shuffled].map((times) => fold([key(), ...times.map((ms) => request(later(ms)))]));
      expect(other?.windowsClock).toEqual(one?.windowsClock);
      expect(other?.counters).toEqual(one?.counters);
    }),
  );
});

const accept = (to: Instant, from: Instant = later(365 * DAY)) => ClockAccepted({ node: 'a', from, to });

test('an acceptance counts what was used meanwhile in the current window', () => {
  const ahead = [key(), request(NOW), request(later(2 * DAY)), request(later(400 * DAY)), request(later(401 * DAY))];
  const state = fold([...ahead, accept(later(HOUR))]);
  expect(state.windowsClock.time).toBe(later(HOUR));
  for (const rule of rules) expect(used(state, later(HOUR), rule)).toBe(480);
  expect(used(state, later(DAY))).toBe(0);
  const { lastUsedAt } = state.counters.get(KEY) ?? {};
  expect(lastUsedAt).toBe(later(HOUR));
});

test('an acceptance keeps what was counted in the current window before the clock jumped', () => {
  const state = fold([key(), request(NOW), request(later(400 * DAY)), accept(later(HOUR))]);
  for (const rule of rules) expect(used(state, later(HOUR), rule)).toBe(240);
});

test('a request of a clock ahead that ends after the acceptance counts in the current window', () => {
  const late = request(later(400 * DAY), later(400 * DAY), 2);
  const state = fold([key(), request(NOW), accept(later(HOUR)), late]);
  expect(used(state, later(HOUR))).toBe(240);
  expect(state.windowsClock.time).toBe(later(HOUR));
});

test('a limit that was created by a clock ahead begins with the acceptance', () => {
  const state = fold([
    key(later(400 * DAY)),
    request(later(403 * DAY)),
    accept(later(HOUR)),
    request(later(2 * HOUR), NOW, 4),
  ]);
  const current = state.apiKeys.get(KEY)?.rules ?? [];
  expect(current.map(({ createdAt }) => createdAt)).toEqual([later(HOUR), later(HOUR), later(HOUR)]);
  for (const rule of current) expect(used(state, later(2 * HOUR), rule)).toBe(240);
});

test('an acceptance leaves counters of earlier windows alone', () => {
  const state = fold([key(), request(NOW), accept(later(2 * DAY), NOW)]);
  expect(used(state, later(2 * DAY))).toBe(0);
  expect(used(state, NOW)).toBe(120);
});
