import { expect, test } from 'vitest';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import type { Account } from '../../domain/account/state.ts';
import type { AccountUsage } from '../../domain/accountUsage/state.ts';
import type { CoolDown } from '../../domain/coolDown/state.ts';
import { type AccountId, type Instant, instant } from '../../domain/core/brands.ts';
import type { Attempt } from '../../domain/request/events.ts';
import { Faults } from '../../lib/faults.ts';
import type { Settlement } from '../../proxy/settlement/settlement.ts';
import { createPoolHealth } from './poolHealth.ts';

const NOW = instant(Date.UTC(2026, 10, 23));
const LATER = instant(NOW + 3_600_000);
const [A, B] = ['a' as AccountId, 'b' as AccountId];

function start() {
  const lines: string[] = [];
  const faults = collectFaults(lines);
  const hot = { accounts: new Map<AccountId, Account>(), usage: new Map<AccountId, AccountUsage>() };
  const coolDowns = new Map<AccountId, CoolDown>();
  const clock: { now: Instant } = { now: NOW };
  const health = createPoolHealth({ hot, coolDowns, faults, now: () => clock.now });
  const set = (id: AccountId, status: Account['status']) =>
    hot.accounts.set(id, { id, status, planType: 'pro', deactivationReason: null } as Account);
  const settled = (
    outcomes: readonly string[],
    { refusal, ...details }: Partial<Attempt> & { refusal?: string } = {},
  ) =>
    health.onSettled({
      attempts: outcomes.map((outcome) => ({ accountId: A, outcome, ...details }) as Attempt),
      outcome: { ...(refusal && { refusal: { reason: refusal } }) } as Settlement['outcome'],
    });
  return { lines, faults, hot, coolDowns, clock, health, set, settled };
}

test('says that no account is available, why and until when, and when one is again', () => {
  const { lines, faults, hot, clock, health, set } = start();
  set(A, 'deactivated');
  set(B, 'active');
  health.check();
  expect(lines).toEqual([]);
  hot.usage.set(B, { limited: { until: LATER, code: 'usage_limit_reached' } } as AccountUsage);
  health.check();
  health.check();
  expect(lines).toEqual([
    'No account can serve (1 with used-up limits, 1 deactivated). Model requests get 429 rate_limit_exceeded. It ends by itself at 2026-11-23T01:00:00.000Z; sooner with another account.',
  ]);
  clock.now = LATER;
  health.check();
  expect(faults.current).toEqual([]);
  expect(lines.at(-1)).toBe('An account is available again: model requests are served.');
});

test('counts a cool-down for a limit, but none for a failure', () => {
  const { lines, coolDowns, health, set } = start();
  set(A, 'active');
  coolDowns.set(A, { since: NOW, until: LATER, cause: 'provider_error', failures: 1 });
  health.check();
  expect(lines).toEqual([]);
  coolDowns.set(A, { since: NOW, until: LATER, cause: 'usage_limit', failures: 0 });
  health.check();
  expect(lines).toHaveLength(1);
});

test('says that there is no account only when a request needs one', () => {
  const { lines, health, settled } = start();
  health.check();
  expect(lines).toEqual([]);
  settled([], { refusal: 'empty' });
  expect(lines).toEqual([
    expect.stringMatching(/^There is no account: .* Sign in to one, or import one, on the page Acc/),
  ]);
});

test('calls a pool without accounts no error, unlike one whose accounts cannot serve', () => {
  const levels: (string | undefined)[] = [];
  const faults = new Faults({ print: (_, details) => levels.push(details?.level), now: () => NOW });
  const hot = { accounts: new Map<AccountId, Account>(), usage: new Map<AccountId, AccountUsage>() };
  const health = createPoolHealth({ hot, coolDowns: new Map(), faults, now: () => NOW });
  health.onSettled({ attempts: [], outcome: { refusal: { reason: 'empty' } } as Settlement['outcome'] });
  faults.clear('no_account_available');
  hot.accounts.set(A, { id: A, status: 'paused', planType: 'pro', deactivationReason: null } as Account);
  health.check();
  expect(levels).toEqual(['warn', undefined, 'error']);
});

test('says that requests fail after three in a row, how, and when one is served', () => {
  const { lines, faults, set, settled } = start();
  set(A, 'active');
  settled(['provider_error', 'provider_error']);
  settled(['provider_error']);
  expect(lines).toEqual([]);
  settled(['unreachable', 'provider_error'], { providerStatus: 503, code: 'server_error' });
  expect(lines).toEqual([expect.stringContaining('it responds with an error (HTTP 503, server_error)')]);
  settled([], { refusal: 'cooling' });
  settled(['unreachable'], { errno: 'ECONNREFUSED' });
  expect(faults.current).toMatchObject([{ cause: expect.stringMatching(/last 5 .*unreachable \(ECONNREFUSED\)/) }]);
  settled(['unreachable', 'ok']);
  expect(faults.current).toEqual([]);
  expect(lines).toHaveLength(2);
});

test('counts no failure that says nothing about the pool, and none before a success', () => {
  const { lines, settled } = start();
  for (const outcome of ['request_refused', 'client_gone', 'aborted', 'limit_reached', 'failed_event', 'usage_limit'])
    for (let count = 0; count < 5; count += 1) settled([outcome]);
  for (let count = 0; count < 9; count += 1) settled([count % 3 === 2 ? 'ok' : 'provider_error']);
  expect(lines).toEqual([]);
});
