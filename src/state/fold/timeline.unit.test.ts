import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Instant, instant, position } from '../../domain/core/brands.ts';
import { latestAfter, type TimedEvent, Timeline } from './timeline.ts';

const event = (at: number, time: number): TimedEvent =>
  ({
    type: 'IpAllowed',
    data: { ip: '10.0.0.1' },
    position: position(at),
    time: instant(time),
  }) as unknown as TimedEvent;
const jump = (at: number, from: number, to: number): TimedEvent =>
  ({ ...event(at, to), type: 'ClockJumped', data: { node: 'a', from, to } }) as unknown as TimedEvent;

/** The last position that was written by `time`, as `past.ts` finds it. */
function positionAt(events: readonly TimedEvent[], time: number): number {
  const timeline = new Timeline();
  for (const each of events) timeline.onFolded(each);
  const { after, until } = timeline.partAt(time as Instant);
  let [found, latest] = [0, instant(Number.MIN_SAFE_INTEGER)];
  for (const each of events) {
    latest = latestAfter(latest, each);
    if (each.position > after && (each.position > until || latest > time)) break;
    found = each.position;
  }
  return found;
}

test('a time means the last position up to which no event is later, without jumps', () => {
  const events = [100, 300, 200, 250, 400, 350].map((time, index) => event(index + 1, time));
  expect([50, 100, 250, 299, 300, 399, 400, 999].map((time) => positionAt(events, time))).toEqual([
    0, 1, 1, 1, 4, 4, 6, 6,
  ]);
});

test('a time means the last position written by then after a clock was ahead', () => {
  const ahead = 172_800_000;
  const events = [event(1, 100), jump(2, 110, ahead), event(3, ahead + 10), jump(4, ahead + 20, 130), event(5, 140)];
  const expected: [time: number, position: number][] = [
    [100, 1],
    [120, 1],
    [130, 4],
    [140, 5],
    [5_000, 5],
    // Two days later times are after both.
    [ahead + 5, 5],
  ];
  for (const [time, found] of expected) expect([time, positionAt(events, time)]).toEqual([time, found]);
});

test('a time before a clock was wrongly set back is still found', () => {
  const events = [
    event(1, 1_000),
    event(2, 5_000),
    jump(3, 5_010, 10),
    event(4, 20),
    jump(5, 30, 5_040),
    event(6, 5_050),
  ];
  expect([1_000, 4_999, 5_000, 15, 20, 5_040, 5_050].map((time) => positionAt(events, time))).toEqual([
    1, 1, 2, 3, 4, 5, 6,
  ]);
});

test('events after a jump ahead are found while the clock stays there', () => {
  const events = [event(1, 100), jump(2, 110, 10_000), event(3, 10_010)];
  expect([100, 5_000, 10_000, 10_010].map((time) => positionAt(events, time))).toEqual([1, 1, 2, 3]);
});

test('the current time is the last position, however the clock has jumped', () => {
  const steps = fc.array(fc.record({ passed: fc.nat(1_000), jumped: fc.integer({ min: -9_000, max: 9_000 }) }), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(steps, (list) => {
      let now = 1_000_000;
      const events = list.map(({ passed, jumped }, index) => {
        const from = now + passed;
        now = from + (jumped % 3 === 0 ? jumped : 0);
        return now === from ? event(index + 1, now) : jump(index + 1, from, now);
      });
      expect(positionAt(events, now)).toBe(events.length);
    }),
  );
});

test('keeps a bounded number of stretches', () => {
  const timeline = new Timeline();
  for (let at = 1; at <= 1_000; at++) timeline.onFolded(jump(at, at, at % 2 === 0 ? at : 1_000_000));
  expect(timeline.stretches.length).toBe(200);
  expect(timeline.partAt(instant(1_000))).toMatchObject({ after: 999 });
});
