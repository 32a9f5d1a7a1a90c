import { describe, expect, test } from 'vitest';
import { accountId, earlier, HOUR, later, MINUTE, NOW } from '../../../test/support/specification.ts';
import type { AccountId, Instant } from '../core/brands.ts';
import { attemptOutcomes } from '../request/attemptOutcomes.ts';
import { healthOf } from './healthOf.ts';
import {
  type AccountHealth,
  type CountedAttempt,
  type CountedRequest,
  countAttempts,
  initialState,
  withoutRecent,
} from './state.ts';

const [A, B] = [accountId(1), accountId(2)];

const attempt = (outcome: string, more: Partial<CountedAttempt> = {}): CountedAttempt => ({
  accountId: A,
  endedAt: NOW,
  outcome,
  ...more,
});
const request = (attempts: readonly CountedAttempt[], status = '502'): CountedRequest => ({
  requestId: 'req_1',
  status,
  accountId: attempts.at(-1)?.accountId ?? null,
  attempts,
});
const succeeded = request([attempt('ok')], '200');
const failed = request([attempt('provider_error', { providerStatus: 500 })]);

/** Folds requests, one a second up to `NOW`. */
function fold(
  requests: readonly CountedRequest[],
  time = (index: number): Instant => earlier(requests.length - 1 - index),
) {
  const states = new Map<AccountId, AccountHealth>();
  requests.forEach((each, index) => {
    countAttempts(
      Object.freeze(each),
      time(index),
      (id) => states.get(id) ?? initialState,
      (id, next) => states.set(id, Object.freeze(next)),
    );
  });
  return { states, of: (id: AccountId = A, now = NOW) => healthOf(states.get(id), now) };
}

const many = (count: number, each: CountedRequest) => Array.from({ length: count }, () => each);

describe('which attempts count', () => {
  test.each(Object.entries(attemptOutcomes))('%s is %s', (outcome, meaning) => {
    const { attempts, failures } = fold([request([attempt(outcome)], outcome === 'ok' ? '200' : '502')]).of();
    expect([attempts, failures]).toEqual(meaning === 'none' ? [0, 0] : [1, meaning === 'failure' ? 1 : 0]);
  });

  test('an outcome that this version does not know counts for nothing', () => {
    for (const outcome of ['invented', 'constructor', '__proto__']) {
      expect(fold([request([attempt(outcome)])]).of()).toMatchObject({ state: 'unknown', attempts: 0 });
    }
  });

  test('each account of a request counts its own attempts', () => {
    const health = fold([request([attempt('provider_error'), attempt('ok', { accountId: B })], '200')]);
    expect(health.of(A)).toMatchObject({ attempts: 1, failures: 1 });
    expect(health.of(B)).toMatchObject({ attempts: 1, failures: 0, lastFailure: null });
  });

  test('an attempt that was repeated with refreshed tokens counts once, by its repetition', () => {
    const refused = attempt('unauthorized', { providerStatus: 401 });
    const again = (outcome: string) => attempt(outcome, { isRepeat: true });
    expect(fold([request([refused, again('ok')], '200')]).of()).toMatchObject({ attempts: 1, failures: 0 });
    expect(fold([request([refused, again('unauthorized')])]).of()).toMatchObject({ attempts: 1, failures: 1 });
  });

  test('a success is the same with and without the list of attempts', () => {
    expect(fold([{ ...succeeded, attempts: [] }]).states).toEqual(fold([succeeded]).states);
  });

  test('a request that a crash cut off counts for nothing', () => {
    expect(fold([{ ...request([], 'error'), accountId: A }]).states.size).toBe(0);
  });
});

describe('an account is', () => {
  test.each<[state: string, what: string, requests: CountedRequest[]]>([
    ['unknown', 'without an attempt', []],
    ['healthy', 'after one success', [succeeded]],
    ['healthy', 'after two failures', many(2, failed)],
    ['failing', 'after three failures', many(3, failed)],
    ['failing', 'after three failures in a row among many successes', [...many(17, succeeded), ...many(3, failed)]],
    ['healthy', 'as soon as one attempt succeeds', [...many(10, failed), succeeded]],
    ['failing', 'when most recent attempts failed', [failed, failed, succeeded, failed]],
    ['healthy', 'when half of them failed', [failed, succeeded, failed, succeeded, succeeded, failed]],
    ['healthy', 'after two failures in a row among many successes', [...many(17, succeeded), ...many(2, failed)]],
  ])('%s %s', (state, _what, requests) => expect(fold(requests).of().state).toBe(state));

  test('unknown again an hour after its last attempt, and keeps the last failure', () => {
    const health = fold(many(5, failed));
    expect(health.of(A, later(HOUR - 10)).state).toBe('failing');
    expect(health.of(A, later(HOUR))).toMatchObject({
      state: 'unknown',
      attempts: 0,
      lastFailure: { class: 'provider_error' },
    });
  });

  test('judged by at most twenty attempts, so that earlier successes do not hide failures', () => {
    const { attempts, failures } = fold([...many(500, succeeded), ...many(12, failed)]).of();
    expect([attempts, failures]).toEqual([20, 12]);
  });

  test('not judged by times of a clock that was set back since', () => {
    const health = fold([...many(3, failed), succeeded], (index) => later(index < 3 ? 2 * HOUR : 0));
    expect(health.of()).toMatchObject({ state: 'healthy', attempts: 1, failures: 0 });
  });

  test('unknown after an operator asked for another attempt', () => {
    const [state] = fold(many(5, failed)).states.values();
    expect(healthOf(withoutRecent(state as AccountHealth), NOW)).toMatchObject({
      state: 'unknown',
      lastFailure: { providerStatus: 500 },
    });
  });
});

test('the last failure says when, how and by which request the account failed', () => {
  const details = { endedAt: earlier(MINUTE), code: 'server_error', providerStatus: 503, errno: 'ECONNRESET' };
  expect(fold([failed, request([attempt('cut', details)]), succeeded]).of().lastFailure).toEqual({
    at: earlier(MINUTE),
    class: 'cut',
    code: 'server_error',
    providerStatus: 503,
    errno: 'ECONNRESET',
    requestId: 'req_1',
  });
});
