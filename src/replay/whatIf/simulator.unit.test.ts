import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { accountId, keyId, later, limitRule, NOW } from '../../../test/support/specification.ts';
import { type AccountId, instant } from '../../domain/core/brands.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import type { Settings } from '../../domain/settings/events.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { type Asked, RecordedPool } from './recordedPool.support.ts';
import type { WhatIfReport } from './report.ts';
import { Simulator } from './simulator.ts';
import type { WhatIf } from './whatIf.ts';

const ACCOUNTS = [1, 2, 3, 4].map(accountId);
const KEYS = [1, 2].map(keyId);
const RULES = [
  limitRule({ id: 1, maxValue: 4_000, createdAt: later(-1_000) }),
  limitRule({ id: 2, limitType: 'cost_usd', limitWindow: 'monthly', maxValue: 1, createdAt: later(-1_000) }),
];

function newPool(accounts: readonly AccountId[] = ACCOUNTS, rules: LimitRule[] = RULES): RecordedPool {
  const pool = new RecordedPool();
  for (const [index, id] of accounts.entries()) pool.import(id, index % 2 === 0 ? 'plus' : 'pro');
  pool.createKey(KEYS[0] as never, rules);
  pool.createKey(KEYS[1] as never, []);
  return pool;
}

/** Plays a log again, from the first event that follows `setUp`. */
function simulate({ log }: RecordedPool, whatIf: WhatIf, { setUp = 0, lag = log.length } = {}): WhatIfReport {
  const recorded = new HotState();
  for (const event of log.slice(0, setUp)) recorded.apply(event);
  const isWanted = () => true;
  const simulator = new Simulator({ recorded, whatIf, from: NOW, isWanted, lag });
  for (const event of log.slice(setUp)) simulator.add(event);
  return simulator.end().report(0);
}

type Step =
  | { readonly kind: 'ask'; readonly asked: Omit<Asked, 'requestId'> }
  | { readonly kind: 'end' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'set'; readonly to: Partial<Settings> }
  | { readonly kind: 'pause' | 'delete' | 'import'; readonly account: AccountId }
  | { readonly kind: 'limits'; readonly maxValue: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'report'; readonly account: AccountId; readonly percent: number };

const account = fc.constantFrom(...ACCOUNTS);
const settings = fc.constantFrom<Partial<Settings>>(
  { routingStrategy: 'round_robin' },
  { routingStrategy: 'usage_weighted' },
  { stickyThreadsEnabled: false },
  { stickyThreadsEnabled: true },
);
const fields = {
  keyId: fc.constantFrom(...KEYS),
  model: fc.constantFrom('gpt-5', 'gpt-5.5'),
  conversation: fc.constantFrom(undefined, 'a', 'b', 'c'),
  tokens: fc.integer({ min: 1, max: 900 }),
};
const asked = fc.record(fields);
const failures = fc.array(fc.constantFrom('throttled' as const, 'usage_limit' as const), { maxLength: 4 });
const plain: fc.Arbitrary<Step>[] = [
  fc.record({ kind: fc.constant('ask' as const), asked }),
  fc.record({ kind: fc.constant('ask' as const), asked }),
  fc.record({ kind: fc.constant('end' as const) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 3_000, 20_000, 86_400_000) }),
];
const anything = fc.oneof(
  ...plain,
  fc.record({ kind: fc.constant('ask' as const), asked: fc.record({ ...fields, failures }) }),
  fc.record({ kind: fc.constant('set' as const), to: settings }),
  fc.record({ kind: fc.constantFrom('pause' as const, 'delete' as const, 'import' as const), account }),
  fc.record({ kind: fc.constant('limits' as const), maxValue: fc.integer({ min: 1, max: 9_000 }) }),
  fc.record({ kind: fc.constant('reset' as const) }),
  fc.record({ kind: fc.constant('report' as const), account, percent: fc.integer({ min: 0, max: 110 }) }),
);

function play(pool: RecordedPool, steps: readonly Step[]): RecordedPool {
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'ask') pool.ask({ ...step.asked, requestId: `req_${index}` });
    else if (step.kind === 'end') pool.end();
    else if (step.kind === 'wait') pool.now = instant(pool.now + step.ms);
    else if (step.kind === 'set') pool.set(step.to);
    else if (step.kind === 'limits')
      pool.changeLimits(KEYS[0] as never, [limitRule({ ...RULES[0], maxValue: step.maxValue })]);
    else if (step.kind === 'reset') pool.resetUsage(KEYS[0] as never);
    else if (step.kind === 'report') pool.report(step.account, step.percent);
    else pool[step.kind](step.account);
  }
  pool.endAll();
  return pool;
}

const unchanged: readonly WhatIf[] = [
  {},
  { settings: {}, limits: { keys: {} }, withoutAccounts: [], plusAccounts: [] },
];

test('equals the recording when nothing is changed, at any lag and from any position', () =>
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 60, size: 'max' }), fc.constantFrom(...unchanged), (steps, whatIf) => {
      const pool = play(newPool(), steps);
      for (const options of [{}, { setUp: 6 }]) {
        const { requests, outcomes, accounts, refusals, limits, costs, different_requests } = simulate(
          pool,
          whatIf,
          options,
        );
        expect(different_requests).toEqual([]);
        const ended = pool.log.filter(({ type }) => type === 'RequestCompleted' || type === 'RequestRefused').length;
        expect(requests).toMatchObject({ different: 0, compared: ended, not_simulated: 0 });
        const pairs = JSON.stringify({ outcomes, accounts, refusals, limits, costs });
        for (const [, recorded, simulated] of pairs.matchAll(/\{"recorded":([^,}]+),"simulated":([^,}]+)\}/g))
          expect(simulated).toBe(recorded);
      }
    }),
    runs(40),
  ));

/** The end of each request by its id: the account, or the reason why there was none. */
function endsOf({ log }: RecordedPool): Map<string, string> {
  const ends = new Map<string, string>();
  for (const { type, data } of log) {
    if (type === 'RequestRefused') ends.set(data.requestId, `limit ${data.limit?.ruleId}`);
    if (type === 'RequestCompleted') ends.set(data.requestId, data.accountId ?? data.refusal?.reason ?? '');
  }
  return ends;
}

/** The ends that the simulation of one pool comes to. */
function simulatedEnds(pool: RecordedPool, whatIf: WhatIf, setUp: number): Map<string, string> {
  const ends = endsOf(pool);
  for (const { request_id, simulated } of simulate(pool, whatIf, { setUp }).different_requests) {
    const { account_id, reason, rule_id } = simulated;
    ends.set(
      request_id,
      account_id ?? (rule_id === null ? (reason ?? '').replace('no_account_', '') : `limit ${rule_id}`),
    );
  }
  return ends;
}

const scripts = fc.array(fc.oneof(...plain), { maxLength: 50, size: 'max' });
/** The log does not have the conversation of a request that a limit refused. */
const withoutConversations = scripts.map((steps) =>
  steps.map((step) => (step.kind === 'ask' ? { ...step, asked: { ...step.asked, conversation: undefined } } : step)),
);
/** Rules whose ids a simulation keeps, because only their maximum changes. */
const strict = RULES.map((rule) => ({ ...rule, maxValue: rule.limitType === 'cost_usd' ? 1 : 1_500 }));
const lenient = RULES.map((rule) => ({ ...rule, maxValue: 1_000_000 }));
const inputOf = (rules: readonly LimitRule[]) => ({ keys: { [KEYS[0] as string]: rules } });
const SET_UP = ACCOUNTS.length + KEYS.length;

test.each<[string, (pool: RecordedPool) => void, WhatIf, typeof scripts]>([
  [
    'round robin',
    (pool) => pool.set({ routingStrategy: 'round_robin' }),
    { settings: { routingStrategy: 'round_robin' } },
    scripts,
  ],
  [
    'no sticky threads',
    (pool) => pool.set({ stickyThreadsEnabled: false }),
    { settings: { stickyThreadsEnabled: false } },
    scripts,
  ],
  ['stricter limits', (pool) => pool.changeLimits(KEYS[0] as never, strict), { limits: inputOf(strict) }, scripts],
  [
    'more lenient limits',
    (pool) => pool.changeLimits(KEYS[0] as never, lenient),
    { limits: inputOf(lenient) },
    withoutConversations,
  ],
  [
    'no limits',
    (pool) => pool.changeLimits(KEYS[0] as never, []),
    { limits: { keys: { '*': [] } } },
    withoutConversations,
  ],
  [
    'one account less',
    (pool) => pool.delete(ACCOUNTS[1] as never),
    { withoutAccounts: [ACCOUNTS[1] as never] },
    scripts,
  ],
])('comes to what the same requests come to under %s', (_what, change, whatIf, scripts) =>
  fc.assert(
    fc.property(scripts, (steps) => {
      const recorded = play(newPool(), steps);
      const changed = newPool();
      change(changed);
      const expected = endsOf(play(changed, steps));
      expect(simulatedEnds(recorded, whatIf, SET_UP)).toEqual(expected);
    }),
    runs(20),
  ),
);

test('comes to what the same requests come to with one account more', () =>
  fc.assert(
    fc.property(scripts, (steps) => {
      const recorded = play(newPool(), steps);
      const changed = newPool();
      const id = 'plus-1' as AccountId;
      changed.import(id, 'pro');
      const window = { usedPercent: 0, windowMinutes: 300, credits: 225 };
      const plus = { id, planType: 'pro', primary: window, secondary: window };
      const simulated = simulatedEnds(recorded, { plusAccounts: [plus] }, SET_UP);
      expect(simulated).toEqual(endsOf(play(changed, steps)));
    }),
    runs(20),
  ));

test('chooses the account with the earliest reset when that is preferred', () => {
  const pool = newPool();
  const days = ACCOUNTS.map((_, index) => 5 - index);
  for (const [index, id] of ACCOUNTS.entries()) pool.report(id, 10, { days: days[index] });
  for (let index = 0; index < 12; index += 1) {
    pool.ask({ requestId: `req_${index}`, keyId: KEYS[1] as never, model: 'gpt-5', tokens: 100 });
    pool.end();
  }
  const whatIf: WhatIf = { settings: { preferEarlierResetAccounts: true } };
  const { accounts, requests } = simulate(pool, whatIf, { setUp: SET_UP + ACCOUNTS.length });
  expect(requests.different).toBeGreaterThan(0);
  expect(Object.fromEntries(accounts.map((each) => [each.account_id, each.requests.simulated]))).toEqual(
    Object.fromEntries(ACCOUNTS.map((id, index) => [id, index === ACCOUNTS.length - 1 ? 12 : 0])),
  );
});

test('gives the same report for the same log, whatever the lag', () => {
  const pool = newPool();
  pool.set({ routingStrategy: 'round_robin' });
  for (let index = 0; index < 40; index += 1) {
    pool.ask({ requestId: `req_${index}`, keyId: KEYS[index % 2] as never, model: 'gpt-5', tokens: 100 });
    if (index % 3 === 0) pool.end();
  }
  pool.endAll();
  const whatIf: WhatIf = { settings: { routingStrategy: 'usage_weighted' }, limits: inputOf(strict) };
  const report = simulate(pool, whatIf, { setUp: SET_UP });
  expect(report.requests.different).toBeGreaterThan(10);
  expect(simulate(pool, whatIf, { setUp: SET_UP })).toEqual(report);
  expect(simulate(pool, whatIf, { setUp: SET_UP, lag: 35 })).toEqual(report);
});
