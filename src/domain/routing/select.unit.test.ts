import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import {
  accountId,
  DAY,
  deepFreeze,
  earlier,
  HOUR,
  later,
  MINUTE,
  NOW,
  usageSample,
  usageWindow,
} from '../../../test/support/specification.ts';
import type { AccountStatus } from '../account/events.ts';
import type { Account } from '../account/state.ts';
import type { UsageSample } from '../accountUsage/events.ts';
import type { AccountUsage } from '../accountUsage/state.ts';
import type { AccountId, Instant } from '../core/brands.ts';
import { availabilityOf } from './availability.ts';
import { explainChoice } from './explainChoice.ts';
import { compareRanks } from './rank.ts';
import { type SelectInput, select, triedBy } from './select.ts';

const [a, b, c] = [accountId('a'), accountId('b'), accountId('c')];

const account = (
  id: AccountId,
  status: AccountStatus = 'active',
  planType = 'plus',
  region?: string,
): [AccountId, Account] => [
  id,
  {
    id,
    upstreamAccountId: null,
    email: null,
    displayName: null,
    planType,
    hasReadableIdToken: true,
    status,
    deactivationReason: null,
    proxy: null,
    region,
    importedAt: earlier(DAY),
  },
];
const used = (id: AccountId, sample: UsageSample): [AccountId, AccountUsage] => [
  id,
  { sample, observedAt: earlier(MINUTE), limited: undefined },
];
const percent = (id: AccountId, primary: number, secondary: number) =>
  used(id, usageSample(usageWindow(primary), usageWindow(secondary, later(3 * DAY))));
const spent = (id: AccountId, resetAt: Instant) => used(id, usageSample(usageWindow(100, resetAt)));
const cooling = (...entries: [AccountId, Instant][]) =>
  new Map(entries.map(([id, until]) => [id, { since: earlier(DAY), until, cause: 'timeout', failures: 1 }]));

const weighted = { routingStrategy: 'usage_weighted', preferEarlierResetAccounts: false } as const;
const preferEarlier = { ...weighted, preferEarlierResetAccounts: true };
const roundRobin = { ...weighted, routingStrategy: 'round_robin' } as const;

const pool = (changes: Partial<SelectInput> = {}): SelectInput => ({
  accounts: new Map([account(a), account(b), account(c)]),
  usage: new Map(),
  settings: weighted,
  pinnedTo: undefined,
  excludedPlans: new Set(),
  regions: undefined,
  seed: 'request-1',
  tried: new Set(),
  coolDowns: new Map(),
  turn: 0,
  now: NOW,
  ...changes,
});
const choose = (changes: Partial<SelectInput> = {}) => select(pool(changes));

describe('a model that is offered to some plans only', () => {
  const accounts = new Map([account(a, 'active', 'free'), account(b), account(c, 'active', 'new')]);
  const offered = { accounts, excludedPlans: new Set(['free']) };

  test('skips accounts of other plans, however little they have used', () => {
    const usage = new Map([percent(a, 0, 0), percent(b, 50, 50), percent(c, 40, 40)]);
    expect(choose({ ...offered, usage })).toMatchObject({ kind: 'chosen', accountId: c });
    expect(choose({ ...offered, usage, tried: new Set([c]) })).toMatchObject({ kind: 'chosen', accountId: b });
    const asked = [0, 1, 2, 3].map((turn) => choose({ ...offered, settings: roundRobin, turn }));
    expect(asked.map((selection) => selection.kind === 'chosen' && selection.accountId)).toEqual([b, c, b, c]);
  });

  test('keeps the pin, because the next request may be for another model', () =>
    expect(choose({ ...offered, pinnedTo: a, usage: new Map([percent(b, 50, 50)]) })).toMatchObject({
      kind: 'chosen',
      accountId: c,
      isFallback: true,
    }));

  test('is refused by the state of the accounts that are offered it', () => {
    const usage = new Map([spent(b, later(2 * HOUR)), spent(c, later(HOUR))]);
    expect(choose({ ...offered, usage })).toMatchObject({ kind: 'none', reason: 'exhausted', until: later(HOUR) });
    const paused = new Map([account(a, 'active', 'free'), account(b, 'paused')]);
    expect(choose({ ...offered, accounts: paused })).toMatchObject({ kind: 'none', reason: 'empty' });
  });

  test('may use every account when none has a plan that is offered it', () => {
    const left = new Map([account(a, 'active', 'free'), account(b, 'deactivated')]);
    expect(choose({ ...offered, accounts: left })).toMatchObject({ kind: 'chosen', accountId: a });
  });
});

describe('a request that may be served in some regions only', () => {
  const accounts = new Map([
    account(a, 'active', 'plus', 'US'),
    account(b, 'active', 'plus', 'eu'),
    account(c, 'active', 'plus'),
  ]);
  const eu = { accounts, regions: ['eu'] };

  test('skips accounts elsewhere and those whose region is not known, however little they have used', () => {
    const usage = new Map([percent(a, 0, 0), percent(b, 90, 90), percent(c, 0, 0)]);
    expect(choose({ ...eu, usage })).toMatchObject({ kind: 'chosen', accountId: b });
    expect(choose({ ...eu, settings: roundRobin, turn: 7 })).toMatchObject({ accountId: b, overlay: undefined });
    expect(choose({ ...eu, usage, regions: ['eu', 'us'] })).toMatchObject({ accountId: a });
  });

  test('keeps the pin to an account elsewhere, and serves it where it may be', () =>
    expect(choose({ ...eu, pinnedTo: a })).toMatchObject({ kind: 'chosen', accountId: b, isFallback: true }));

  test('waits for the accounts of its region, not for others', () => {
    const usage = new Map([spent(b, later(HOUR))]);
    expect(choose({ ...eu, usage })).toMatchObject({ kind: 'none', reason: 'exhausted', until: later(HOUR) });
    expect(choose({ ...eu, tried: new Set([b]) })).toMatchObject({ kind: 'none', reason: 'tried' });
  });

  test('is refused when no account is in its region, which is not an empty pool', () => {
    expect(choose({ accounts, regions: ['ap'] })).toMatchObject({ kind: 'none', reason: 'no_region', until: null });
    expect(choose({ accounts, regions: [] })).toMatchObject({ kind: 'none', reason: 'no_region' });
    expect(choose({ accounts: new Map(), regions: ['eu'] })).toMatchObject({ kind: 'none', reason: 'no_region' });
    const paused = new Map([account(b, 'paused', 'plus', 'eu'), account(a)]);
    expect(choose({ accounts: paused, regions: ['eu'] })).toMatchObject({ kind: 'none', reason: 'empty' });
  });

  test('may use every plan of its region when none there is offered the model', () => {
    const plans = new Map([account(a, 'active', 'pro', 'us'), account(b, 'active', 'free', 'eu')]);
    const excludedPlans = new Set(['free']);
    expect(choose({ accounts: plans, excludedPlans })).toMatchObject({ accountId: a });
    expect(choose({ accounts: plans, excludedPlans, regions: ['eu'] })).toMatchObject({ accountId: b });
  });

  test('says of the others in which region they are', () => {
    const { candidates } = explainChoice(pool({ ...eu }));
    expect(candidates.map(({ exclusion, detail }) => [exclusion, detail])).toEqual([
      ['other_region', 'region US'],
      [undefined, null],
      ['other_region', 'no region'],
    ]);
  });
});

describe('usage_weighted', () => {
  test('chooses the account with the least used long window', () =>
    expect(choose({ usage: new Map([percent(a, 0, 50), percent(b, 90, 20), percent(c, 0, 30)]) })).toEqual({
      kind: 'chosen',
      accountId: b,
      isFallback: false,
      overlay: undefined,
    }));

  test('breaks ties of the long window by the short one', () =>
    expect(choose({ usage: new Map([percent(a, 30, 20), percent(b, 20, 20), percent(c, 40, 20)]) })).toMatchObject({
      accountId: b,
    }));

  test('uses the short window in place of a missing long one', () => {
    const usage = new Map([used(a, usageSample(usageWindow(40))), percent(b, 0, 50), percent(c, 0, 60)]);
    expect(choose({ usage })).toMatchObject({ accountId: a });
    expect(choose({ usage: new Map([...usage, percent(b, 99, 30)]) })).toMatchObject({ accountId: b });
  });

  test('counts a window as unused after its reset', () => {
    const reset = used(c, usageSample(usageWindow(10), usageWindow(100, earlier(1))));
    expect(choose({ usage: new Map([percent(a, 0, 5), percent(b, 0, 5), reset]) })).toMatchObject({ accountId: c });
  });

  test('counts a used-up window without a reset time as unused once it ended', () => {
    const sample = usageSample(usageWindow(0), { usedPercent: 100, resetAt: null, windowMinutes: 60 });
    const ended: [AccountId, AccountUsage] = [c, { sample, observedAt: earlier(2 * HOUR), limited: undefined }];
    expect(choose({ usage: new Map([percent(a, 0, 5), percent(b, 0, 5), ended]) })).toMatchObject({ accountId: c });
  });

  test('counts an account without a sample as unused', () =>
    expect(choose({ usage: new Map([percent(a, 1, 1), percent(b, 1, 1)]) })).toMatchObject({ accountId: c }));

  test('ignores the round-robin counter', () => {
    const chosen = new Set(Array.from({ length: 20 }, (_, turn) => JSON.stringify(choose({ turn }))));
    expect(chosen.size).toBe(1);
  });

  test('ignores the order of imports', () => {
    for (let seed = 0; seed < 50; seed++) {
      const orders = [
        [a, b, c],
        [c, a, b],
        [b, c, a],
      ].map((ids) => choose({ seed: `${seed}`, accounts: new Map(ids.map((id) => account(id))) }));
      expect(new Set(orders.map((selection) => JSON.stringify(selection))).size).toBe(1);
    }
  });
});

describe('prefer earlier reset', () => {
  const resets = (id: AccountId, secondary: number, resetAt: Instant | null) =>
    used(id, usageSample(usageWindow(0), usageWindow(secondary, resetAt)));

  test('chooses the account whose long window resets on an earlier day', () => {
    const usage = new Map([resets(a, 10, later(3 * DAY)), resets(b, 80, later(DAY)), resets(c, 0, later(6 * DAY))]);
    expect(choose({ usage, settings: preferEarlier })).toMatchObject({ accountId: b });
    expect(choose({ usage })).toMatchObject({ accountId: c });
  });

  test('breaks ties within a day by the least used window', () => {
    const usage = new Map([
      resets(a, 60, later(DAY + HOUR)),
      resets(b, 20, later(DAY + 23 * HOUR)),
      resets(c, 0, later(2 * DAY)),
    ]);
    expect(choose({ usage, settings: preferEarlier })).toMatchObject({ accountId: b });
  });

  test('puts unknown or past resets last', () => {
    const usage = new Map([resets(a, 0, null), resets(b, 0, earlier(1)), resets(c, 90, later(6 * DAY))]);
    expect(choose({ usage, settings: preferEarlier })).toMatchObject({ accountId: c });
  });

  test('has no effect on round robin', () => {
    const usage = new Map([resets(a, 10, later(3 * DAY)), resets(b, 80, later(DAY))]);
    for (const turn of [0, 1, 2]) {
      const chosen = choose({ usage, turn, settings: { ...preferEarlier, routingStrategy: 'round_robin' } });
      expect(chosen).toEqual(choose({ usage, turn, settings: roundRobin }));
    }
  });
});

describe('round_robin', () => {
  test('spreads a thousand turns evenly', () => {
    const counts = new Map<string, number>();
    for (let turn = 0; turn < 1_000; turn++) {
      const selection = choose({ settings: roundRobin, turn, seed: `${turn}` });
      if (selection.kind === 'chosen') counts.set(selection.accountId, (counts.get(selection.accountId) ?? 0) + 1);
    }
    expect([...counts.values()].sort()).toEqual([333, 333, 334]);
  });

  test('ignores usage', () =>
    expect(choose({ settings: roundRobin, usage: new Map([percent(a, 99, 99)]) })).toMatchObject({ accountId: a }));

  test('records the turn, unless there was only one account to choose', () => {
    expect(choose({ settings: roundRobin, turn: 4 })).toMatchObject({ accountId: b, overlay: { turn: 4 } });
    expect(choose({ settings: roundRobin, turn: 4, tried: new Set([a, b]) })).toMatchObject({
      accountId: c,
      overlay: undefined,
    });
  });

  test('skips accounts that are not available', () => {
    const accounts = new Map([account(a), account(b, 'paused'), account(c)]);
    const chosen = [0, 1, 2, 3].map((turn) => choose({ settings: roundRobin, accounts, turn }));
    expect(chosen).toMatchObject([{ accountId: a }, { accountId: c }, { accountId: a }, { accountId: c }]);
  });
});

describe('sticky', () => {
  test('keeps a conversation on its account, however free others are', () => {
    const usage = new Map([percent(a, 90, 90)]);
    for (const settings of [weighted, preferEarlier, roundRobin]) {
      expect(choose({ pinnedTo: a, usage, settings, turn: 2 })).toEqual({
        kind: 'chosen',
        accountId: a,
        isFallback: false,
        overlay: undefined,
      });
    }
  });

  test.each([
    ['is used up', { usage: new Map([spent(a, later(HOUR))]) }],
    ['is cooling', { coolDowns: cooling([a, later(MINUTE)]) }],
    ['has failed this request', { tried: new Set([a]) }],
  ])('while its account %s another one serves as a fallback and the pin stays', (_why, changes) => {
    const selection = choose({ pinnedTo: a, ...changes });
    expect(selection).toMatchObject({ kind: 'chosen', isFallback: true });
    expect(selection).not.toMatchObject({ accountId: a });
  });

  test.each([
    ['paused', new Map([account(a, 'paused'), account(b)])],
    ['deactivated', new Map([account(a, 'deactivated'), account(b)])],
    ['deleted', new Map([account(b)])],
  ])('when its account is %s the conversation moves', (_why, accounts) =>
    expect(choose({ pinnedTo: a, accounts })).toMatchObject({ accountId: b, isFallback: false }),
  );

  test('does not serve from an exhausted pool because of a pin', () =>
    expect(
      choose({ pinnedTo: a, accounts: new Map([account(a)]), usage: new Map([spent(a, later(HOUR))]) }),
    ).toMatchObject({ kind: 'none', reason: 'exhausted' }));
});

describe('no account is available', () => {
  test('empty: no account, or all of them paused or deactivated', () => {
    const none = { kind: 'none', reason: 'empty', until: null, overlay: undefined };
    expect(choose({ accounts: new Map() })).toEqual(none);
    expect(choose({ accounts: new Map([account(a, 'paused'), account(b, 'deactivated')]) })).toEqual(none);
    expect(choose({ accounts: new Map(), settings: roundRobin, turn: 3 })).toEqual(none);
  });

  test('exhausted: all are used up, until the earliest reset', () => {
    const accounts = new Map([account(a), account(b), account(c, 'paused')]);
    const usage = new Map([spent(a, later(2 * HOUR)), spent(b, later(HOUR)), spent(c, later(MINUTE))]);
    expect(choose({ accounts, usage })).toEqual({
      kind: 'none',
      reason: 'exhausted',
      until: later(HOUR),
      overlay: undefined,
    });
  });

  test('cooling: the first cool-down ends soon, even if other accounts are used up', () =>
    expect(
      choose({ usage: new Map([spent(a, later(HOUR))]), coolDowns: cooling([b, later(900)], [c, later(500)]) }),
    ).toEqual({
      kind: 'none',
      reason: 'cooling',
      until: later(500),
      overlay: undefined,
    }));

  test('tried: every available account has failed this request', () => {
    expect(choose({ tried: new Set([a, b, c]) })).toMatchObject({ kind: 'none', reason: 'tried', until: null });
    expect(choose({ tried: new Set([a, b]), usage: new Map([spent(c, later(HOUR))]) })).toMatchObject({
      reason: 'tried',
    });
  });

  test('does not wait for a cooling account that has failed this request', () => {
    expect(choose({ tried: new Set([a, b, c]), coolDowns: cooling([a, later(500)]) })).toMatchObject({
      reason: 'tried',
    });
    expect(choose({ tried: new Set([a, b]), coolDowns: cooling([a, later(500)], [c, later(900)]) })).toMatchObject({
      reason: 'cooling',
      until: later(900),
    });
  });
});

test('tries a throttled account again, but not one that failed', () =>
  expect(
    triedBy([
      { accountId: a, outcome: 'throttled' },
      { accountId: b, outcome: 'timeout' },
    ]),
  ).toEqual(new Set([b])));

describe('ties over many requests', () => {
  const ids = Array.from({ length: 50 }, (_, index) => accountId(index));
  const accounts = new Map(ids.map((id) => account(id)));
  const REQUESTS = 10_000;
  const expected = REQUESTS / ids.length;
  const countsOf = (seedOf: (index: number) => string) => {
    const counts = new Map<string, number>(ids.map((id) => [id, 0]));
    for (let index = 0; index < REQUESTS; index++) {
      const selection = choose({ accounts, seed: seedOf(index) });
      if (selection.kind === 'chosen') counts.set(selection.accountId, (counts.get(selection.accountId) ?? 0) + 1);
    }
    return [...counts.values()];
  };

  test('choose each account within 15 % of its share', () => {
    const deviations = countsOf((index) => `request-${index}`).map((count) => Math.abs(count - expected) / expected);
    expect(Math.max(...deviations)).toBeLessThanOrEqual(0.15);
  });

  // Random shares deviate by up to 20 % here. With 49 degrees of freedom, chi-squared exceeds 85.4 once in a thousand times.
  test.each(['', 'req_', 'digest:'])('spread seeds with the prefix %j like random ones', (prefix) => {
    const chiSquared = countsOf((index) => prefix + index).reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
    expect(chiSquared).toBeLessThan(85.4);
  });
});

const times = fc.constantFrom(earlier(DAY), earlier(1), NOW, later(1), later(HOUR), later(30 * HOUR), later(6 * DAY));
const window = fc.option(
  fc.record({
    usedPercent: fc.constantFrom(0, 40, 99, 100, 120),
    resetAt: fc.option(times),
    windowMinutes: fc.option(fc.constantFrom(1, 300, 10_080)),
  }),
);
const knownUsage: fc.Arbitrary<AccountUsage> = fc.record({
  sample: fc.option(fc.record({ primary: window, secondary: window, credits: fc.constant(null) }), { nil: undefined }),
  observedAt: fc.constantFrom(earlier(DAY), earlier(MINUTE)),
  limited: fc.option(
    fc.record({ since: times, until: times, code: fc.constantFrom('rate_limit_exceeded', 'insufficient_quota') }),
    { nil: undefined },
  ),
});
const member = fc.record({
  plan: fc.constantFrom('plus', 'plus', 'free'),
  status: fc.constantFrom<AccountStatus>('active', 'active', 'active', 'paused', 'deactivated'),
  usage: fc.option(knownUsage),
  coolingUntil: fc.option(times),
  region: fc.constantFrom(undefined, 'EU', 'us'),
  isTried: fc.boolean(),
});
/** Any pool of up to six accounts with any usage, cool-downs, settings and pin. */
const pools: fc.Arbitrary<SelectInput> = fc
  .record({
    members: fc.array(member, { maxLength: 6 }),
    settings: fc.constantFrom(weighted, preferEarlier, roundRobin),
    pinned: fc.option(fc.nat({ max: 7 })),
    seed: fc.string(),
    excludedPlans: fc.constantFrom(new Set<string>(), new Set<string>(), new Set(['free']), new Set(['plus', 'free'])),
    regions: fc.constantFrom(undefined, undefined, ['eu'], ['eu', 'us'], ['nowhere']),
    turn: fc.nat({ max: 50 }),
  })
  .map(({ members, settings, pinned, excludedPlans, regions, seed, turn }) => ({
    accounts: new Map(
      members.map(({ status, plan, region }, index) => account(accountId(index), status, plan, region)),
    ),
    usage: new Map(members.flatMap(({ usage }, index) => (usage ? [[accountId(index), usage] as const] : []))),
    settings,
    pinnedTo: pinned === null ? undefined : accountId(pinned),
    seed,
    tried: new Set(members.flatMap(({ isTried }, index) => (isTried ? [accountId(index)] : []))),
    coolDowns: cooling(
      ...members.flatMap(({ coolingUntil }, index): [AccountId, Instant][] =>
        coolingUntil === null ? [] : [[accountId(index), coolingUntil]],
      ),
    ),
    excludedPlans,
    regions,
    turn,
    now: NOW,
  }));
const always = (predicate: (input: SelectInput) => void) => fc.assert(fc.property(pools, predicate), runs(1_000));
const isWithout = ({ accounts, excludedPlans }: SelectInput, id: AccountId) =>
  excludedPlans.has(accounts.get(id)?.planType ?? '');
const isAllowed = ({ accounts, regions }: SelectInput, id: AccountId) =>
  regions === undefined || regions.includes(accounts.get(id)?.region?.toLowerCase() ?? '');
const isOffered = (input: SelectInput) =>
  input.accounts
    .values()
    .some(({ id, status }) => status !== 'deactivated' && !isWithout(input, id) && isAllowed(input, id));
const canServe = (input: SelectInput, id: AccountId) => {
  const candidate = input.accounts.get(id);
  const state = candidate && availabilityOf(candidate, input.usage.get(id), input.coolDowns.get(id), input.now).state;
  return (
    state === 'available' &&
    !input.tried.has(id) &&
    isAllowed(input, id) &&
    (!isWithout(input, id) || !isOffered(input))
  );
};

test('repeats its result without a turn that it does not record', () =>
  always((input) => {
    const selection = select(input);
    expect(select({ ...input, turn: selection.overlay?.turn ?? 0 })).toEqual(selection);
  }));

test('is deterministic and does not change its input', () =>
  always((input) => {
    const before = structuredClone(input);
    const selection = select(deepFreeze(input));
    expect(input).toEqual(before);
    expect(select(before)).toEqual(selection);
  }));

test('chooses an available, untried account whenever there is one', () =>
  always((input) => {
    const selection = select(input);
    if (selection.kind === 'chosen') expect(canServe(input, selection.accountId)).toBe(true);
    else expect([...input.accounts.keys()].some((id) => canServe(input, id))).toBe(false);
  }));

test('an exhausted pool is available from the time that it names, not before', () =>
  always((input) => {
    const fresh = { ...input, tried: new Set<AccountId>(), coolDowns: new Map() };
    const selection = select(fresh);
    if (selection.kind !== 'none' || selection.reason !== 'exhausted' || selection.until === null) return;
    expect(selection.until).toBeGreaterThan(NOW);
    expect(select({ ...fresh, now: selection.until }).kind).toBe('chosen');
    expect(select({ ...fresh, now: earlier(1, selection.until) }).kind).toBe('none');
  }));

describe('the explanation of a choice', () => {
  test('says of each account whether it could be chosen, and puts the chosen one first', () =>
    always((input) => {
      const { selection, by, candidates } = explainChoice(input);
      expect(selection).toEqual(select(input));
      expect(candidates.map((candidate) => candidate.accountId)).toEqual([...input.accounts.keys()]);
      for (const { accountId: id, exclusion } of candidates) expect(exclusion === undefined).toBe(canServe(input, id));
      const places = candidates.flatMap(({ place }) => place ?? []).toSorted((a, b) => a - b);
      expect(places).toEqual(places.map((_, index) => index + 1));
      const first = candidates.find(({ place }) => place === 1);
      if (selection.kind === 'none') expect([by, first]).toEqual(['none', undefined]);
      else if (by === 'pin') expect(selection.accountId).toBe(input.pinnedTo);
      else expect(first?.accountId).toBe(selection.accountId);
    }));

  test('orders the others by the figures of the strategy, and shows what decided between equal ones', () =>
    always((input) => {
      const ranked = explainChoice({ ...input, settings: preferEarlier })
        .candidates.filter(({ place }) => place !== undefined)
        .toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0));
      for (const [index, next] of ranked.slice(1).entries()) {
        const before = ranked[index];
        if (!before?.rank || !next.rank) throw new Error('every candidate has a rank');
        const order = compareRanks(before.rank, next.rank);
        expect(order).toBeLessThanOrEqual(0);
        if (order === 0) expect(before.tie).toBeLessThanOrEqual(next.tie ?? Number.NaN);
      }
    }));

  test('names what keeps each account out, and until when', () => {
    const input: SelectInput = {
      accounts: new Map([
        account(accountId(1), 'paused', 'plus'),
        account(accountId(2), 'deactivated', 'plus'),
        account(accountId(3), 'active', 'free'),
        account(accountId(4), 'active', 'plus'),
        account(accountId(5), 'active', 'plus'),
        account(accountId(6), 'active', 'plus'),
      ]),
      usage: new Map(),
      settings: weighted,
      pinnedTo: undefined,
      excludedPlans: new Set(['free']),
      regions: undefined,
      seed: 'r',
      tried: new Set([accountId(5)]),
      coolDowns: cooling([accountId(4), later(1_000)]),
      turn: 0,
      now: NOW,
    };
    const { by, candidates } = explainChoice(input);
    expect(by).toBe('only');
    expect(candidates.map(({ exclusion, until, place }) => [exclusion, until, place])).toEqual([
      ['paused', null, undefined],
      ['deactivated', null, undefined],
      ['plan_lacks_model', null, undefined],
      ['cooling', later(1_000), undefined],
      ['already_tried', null, undefined],
      [undefined, null, 1],
    ]);
  });
});
