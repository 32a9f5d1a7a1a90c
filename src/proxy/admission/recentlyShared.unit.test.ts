import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, keyId, later, limitRule, NOW } from '../../../test/support/specification.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import { type Instant, position } from '../../domain/core/brands.ts';
import { acceptedAt } from '../../domain/limits/windowsClock.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { RecentlyShared } from './recentlyShared.ts';

const id = keyId(1);
const OWN = 'requests-a.b1_20260115';

function setUp() {
  const clock = { now: 0 };
  const hot = new HotState();
  const rules = [limitRule({ id: 1 }), limitRule({ id: 2, modelFilter: 'other' })];
  hot.apiKeys.set(id, { id, rules } as Partial<ApiKey> as ApiKey);
  const isShared = (stream: string) => stream === OWN;
  const time = () => later(clock.now);
  return { clock, hot, recent: new RecentlyShared({ hot, isShared, now: () => clock.now, time }) };
}

const fields = (asOf: Instant) => ({
  requestId: 'r',
  keyId: id,
  model: 'm',
  requestedAt: asOf,
  admission: {
    decidedAt: position(1),
    asOf,
    v: 3,
    estimate: { inputTokens: 100, outputTokens: 20, costMicroDollars: 0 },
    reserved: [],
  },
});
const announced = ({ stream = OWN, asOf = NOW, time = NOW } = {}) =>
  ({ type: 'RequestAdmitted', stream, time, data: fields(asOf) }) as unknown as RecordedEvent;
const completed = (time: Instant) =>
  ({
    type: 'RequestCompleted',
    stream: OWN,
    time,
    data: { ...fields(NOW), usage: { inputTokens: 60, outputTokens: 7 }, costMicroDollars: null },
  }) as unknown as RecordedEvent;

test('counts what the log brought of this node for half a second', () => {
  const { clock, recent } = setUp();
  const amount = () => recent.amountOn(id, 1, NOW);
  recent.onFolded(announced());
  clock.now = 300;
  recent.onFolded(completed(later(300)));
  recent.onFolded(announced({ stream: 'requests-b.b1_20260115' }));
  expect(amount()).toBe(187);
  clock.now = 500;
  expect(amount()).toBe(67);
  clock.now = 800;
  expect(amount()).toBe(0);
});

test('counts it longer when it took long to come back, though no longer than until a silent node is missed', () => {
  const { clock, recent } = setUp();
  const amount = () => recent.amountOn(id, 1, NOW);
  clock.now = 400;
  recent.onFolded(announced());
  clock.now = 1_999;
  expect(amount()).toBe(120);
  clock.now = 2_000;
  expect(amount()).toBe(0);
  clock.now = 60_000;
  recent.onFolded(announced());
  clock.now = 71_999;
  expect(amount()).toBe(120);
  clock.now = 72_000;
  expect(amount()).toBe(0);
});

test('counts it on the limits that apply, in the window of its admission', () => {
  const { recent } = setUp();
  recent.onFolded(announced({ asOf: later(DAY - 1) }));
  expect(recent.amountOn(id, 1, NOW)).toBe(120);
  expect(recent.amountOn(id, 1, later(DAY))).toBe(0);
  expect(recent.amountOn(id, 2, NOW)).toBe(0);
  expect(recent.amountOn(keyId(2), 1, NOW)).toBe(0);
});

test('counts each event while it is recent, whatever was asked before', () => {
  const anEvent = fc.record({ at: fc.nat(2_000), slowMs: fc.nat(600), day: fc.nat(1), isAsked: fc.boolean() });
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 40 }), fc.boolean(), (events, changesRules) => {
      const asked = setUp();
      const unasked = setUp();
      for (const { at, slowMs, day, isAsked } of events) {
        for (const { clock, recent } of [asked, unasked]) {
          clock.now += at;
          recent.onFolded(announced({ asOf: later(day * DAY), time: later(clock.now - slowMs) }));
        }
        if (isAsked) asked.recent.amountOn(id, 1, later(day * DAY));
      }
      for (const { hot } of [asked, unasked]) {
        if (!changesRules) continue;
        hot.windowsClock = acceptedAt(NOW, position(9));
        hot.apiKeys.set(id, {
          id,
          rules: [limitRule({ id: 1, limitType: 'output_tokens' })],
        } as Partial<ApiKey> as ApiKey);
      }
      for (const at of [NOW, later(DAY)]) {
        expect(asked.recent.amountOn(id, 1, at)).toBe(unasked.recent.amountOn(id, 1, at));
      }
    }),
  );
});
