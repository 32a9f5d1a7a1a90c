import { expect, test } from 'vitest';
import { onKey } from '../../../test/support/levels.ts';
import { DAY, keyId, later, limitRule, NOW } from '../../../test/support/specification.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import { position } from '../../domain/core/brands.ts';
import { ADMIT_VERSION } from '../../domain/limits/admit.ts';
import { count, newCounters } from '../../domain/limits/counters.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { Ledger } from './ledger.ts';
import { LimitMeter, type Metered } from './limitMeter.ts';

const KEY = keyId(1);
const stopAt = (maxValue: number) => limitRule({ maxValue, onExceeded: 'stop' });
/** An event with a delta of this many tokens. */
const delta = (tokens: number) =>
  Buffer.from(`data: {"type":"response.output_text.delta","delta":"${'word'.repeat(tokens)}"}\n\n`);
const events = (...tokens: number[]) => Buffer.concat(tokens.map(delta));

interface Estimated {
  price: Metered['price'];
  outputTokens: number;
}

function setUp(rule: LimitRule, usedElsewhere = 0) {
  const hot = new HotState();
  const ledger = new Ledger();
  const setRule = (next: LimitRule) => hot.apiKeys.set(KEY, { id: KEY, rules: [next] } as Partial<ApiKey> as ApiKey);
  setRule(rule);
  const services = { hot, ledger, usedElsewhere: () => usedElsewhere, now: () => NOW };
  const open = (
    requestId: string,
    { price, outputTokens = 100, ...changes }: Partial<Metered['request'] & Estimated> = {},
  ) => {
    const request = {
      requestId,
      model: 'gpt-5',
      serviceTier: null,
      inputTokens: 10,
      maxOutputTokens: null,
      requestedAt: NOW,
      ...changes,
    };
    const estimate = { inputTokens: 10, outputTokens, costMicroDollars: 0 };
    const admission = { decidedAt: position(1), asOf: NOW, v: ADMIT_VERSION, estimate, reserved: [] };
    ledger.reserve(requestId, NOW, onKey({ id: KEY, rules: [rule] }, [[rule.id, 10 + outputTokens]]));
    const meter = new LimitMeter(
      services,
      { request, of: { keyId: KEY }, price, admission },
      rule.onExceeded === 'stop',
    );
    // biome-ignore lint/style/noNonNullAssertion: the tests that use it have such a rule
    return { meter, stop: meter.stop! };
  };
  return { hot, ledger, setRule, open, reserved: () => ledger.reservedOn(KEY, rule.id, NOW) };
}

test('leaves the reservation as it is while the output stays within it', () => {
  const { open, reserved, ledger } = setUp(limitRule());
  const { meter } = open('r1');
  meter.use(10, 100);
  expect(reserved()).toBe(110);
  expect(ledger.usedOn(KEY, 1, NOW)).toBe(110);
});

test('doubles the reserved output when more was relayed, up to what the client allows', () => {
  const { open, reserved } = setUp(limitRule());
  const { meter } = open('r1', { maxOutputTokens: 350 });
  expect(meter.hasGrown).toBe(false);
  meter.use(10, 101);
  expect(reserved()).toBe(210);
  expect(meter).toMatchObject({ reserved: { inputTokens: 10, outputTokens: 200 }, hasGrown: true });
  meter.use(10, 201);
  expect(reserved()).toBe(360);
  meter.use(10, 1_000);
  expect(reserved()).toBe(1_010);
});

test('is announced again only when it has grown by a tenth, however often it grows', () => {
  const { open } = setUp(limitRule());
  const { meter } = open('r1', { maxOutputTokens: 100 });
  let announcements = 0;
  for (let outputTokens = 1; outputTokens <= 10_000; outputTokens++) {
    meter.use(10, outputTokens);
    if (!meter.hasGrown) continue;
    announcements += 1;
    meter.onAnnounced();
    expect(meter.hasGrown).toBe(false);
    expect(meter.reserved.outputTokens).toBe(outputTokens);
  }
  // A hundredfold: 1.1 to the power of 48.
  expect(announcements).toBeLessThanOrEqual(49);
  expect(announcements).toBeGreaterThan(40);
});

test('grows past the double when a single step is larger', () => {
  const { open, reserved } = setUp(limitRule());
  open('r1').meter.use(10, 7_000);
  expect(reserved()).toBe(7_010);
});

test('does not stop streams at a limit that finishes them', () =>
  expect(setUp(limitRule({ maxValue: 1 })).open('r1').meter.stop).toBeUndefined());

test('relays up to the event that exceeds the limit, and not the ones after it', () => {
  const { stop } = setUp(stopAt(100)).open('r1');
  expect(stop.relay(events(40, 50))).toBe(events(40, 50).length);
  expect(stop.error).toBeUndefined();
  expect(stop.relay(events(1, 1, 1))).toBe(events(1).length);
  expect(stop.outputTokens).toBe(91);
  expect(stop.error?.body.error).toMatchObject({
    code: 'rate_limit_exceeded',
    message: expect.stringMatching(
      /^API key total_tokens daily limit reached, so the response was stopped\. Usage res/,
    ),
    resets_in_seconds: 86_400,
  });
  expect(stop.relay(events(1))).toBe(0);
});

test('lets a stream use a limit up to its last token', () => {
  const { stop } = setUp(stopAt(100)).open('r1');
  stop.relay(events(90));
  expect(stop.error).toBeUndefined();
});

test('counts what other requests have used, and not what they have only reserved', () => {
  const { hot, open } = setUp(stopAt(100_000), 3_000);
  const rule = stopAt(100_000);
  const counters = newCounters();
  const consumption = { inputTokens: 90_000, outputTokens: 0, costMicroDollars: 0 };
  count(counters, [rule], { model: 'gpt-5', admittedAt: NOW, consumption });
  hot.counters.set(KEY, counters);
  const [first, second] = [open('r1', { outputTokens: 50_000 }), open('r2', { outputTokens: 50_000 })];
  first.stop.relay(events(3_000));
  second.stop.relay(events(3_900));
  expect([first.stop.error, second.stop.error]).toEqual([undefined, undefined]);
  second.stop.relay(events(90));
  expect(second.stop.error).toBeDefined();
  first.stop.check();
  expect(first.stop.error).toBeDefined();
});

test('ignores other limits: of other models, those that finish, and removed ones', () => {
  const { setRule, hot, open } = setUp(stopAt(100));
  const { stop } = open('r1');
  setRule(limitRule({ maxValue: 100, onExceeded: 'finish' }));
  stop.relay(events(500));
  setRule(limitRule({ maxValue: 100, onExceeded: 'stop', modelFilter: 'gpt-4' }));
  stop.relay(events(500));
  hot.apiKeys.delete(KEY);
  stop.relay(events(500));
  expect(stop.error).toBeUndefined();
});

test('counts in the window of its admission, however long it lasts', () => {
  const { hot, open } = setUp(stopAt(100));
  const counters = newCounters();
  const consumption = { inputTokens: 500, outputTokens: 0, costMicroDollars: 0 };
  count(counters, [stopAt(100)], { model: 'gpt-5', admittedAt: later(DAY), consumption });
  hot.counters.set(KEY, counters);
  const { stop } = open('r1');
  stop.relay(events(50));
  expect(stop.error).toBeUndefined();
  stop.relay(events(50));
  expect(stop.error).toBeDefined();
});

test('stops at a limit in dollars by the price of the model', () => {
  const price = { model: 'gpt-5', input: 0, cachedInput: 0, output: 10 };
  const { stop } = setUp(limitRule({ limitType: 'cost_usd', maxValue: 1, onExceeded: 'stop' })).open('r1', { price });
  stop.relay(events(100_000));
  expect(stop.error).toBeUndefined();
  stop.relay(events(1));
  expect(stop.error).toBeDefined();
});

test('forgets the output of an attempt that failed unseen', () => {
  const { stop } = setUp(stopAt(100)).open('r1');
  stop.relay(events(80));
  stop.reset();
  stop.relay(events(80));
  expect(stop.error).toBeUndefined();
  expect(stop.outputTokens).toBe(80);
});
