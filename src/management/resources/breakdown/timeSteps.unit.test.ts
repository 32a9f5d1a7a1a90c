import { expect, test } from 'vitest';
import { seededRandom } from '../../../../test/support/random.ts';
import { type Instant, instant } from '../../../domain/core/brands.ts';
import { INTERVALS, timeSteps, wallClockOf } from './timeSteps.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STRIDE = { hour: 15 * MINUTE, day: HOUR / 2, month: 7 * HOUR };
const ZONES = [
  'UTC',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Eucla',
  'Australia/Lord_Howe',
  'America/New_York',
  'America/St_Johns',
  'Europe/Berlin',
  'Pacific/Apia',
];

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  return format;
}

/** The years, months, days and hours that clocks show at a moment, from the text of the platform; the reference. */
function shown(at: number, timeZone: string) {
  const text = formatOf(timeZone).format(at);
  const [, month = '', day = '', hour = '', minutes = ''] = /^(\d+-\d+)-(\d+) (\d+):(\d+)/.exec(text) ?? [];
  return { month, day: `${month}-${day}`, hour: `${month}-${day} ${hour}`, minutes: Number(minutes) };
}

const stepsOf = (from: number, to: number, interval: (typeof INTERVALS)[number], timeZone: string) => {
  const clock = wallClockOf(timeZone);
  const steps = clock && timeSteps({ from: instant(from), to: instant(to), interval, clock }, 10_000);
  if (!steps) throw new Error('no steps');
  return steps;
};

test('each step has the times of one hour, day or month of the time zone, and the next has those of another', () => {
  const random = seededRandom(7);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  for (let round = 0; round < 60; round++) {
    const [zone, interval] = [pick(ZONES), pick(INTERVALS)];
    const from = Date.UTC(2010 + Math.floor(random() * 20), 0) + Math.floor(random() * 366 * 24 * HOUR);
    const to = from + Math.floor(random() * { hour: 400 * HOUR, day: 400 * HOUR, month: 3_000 * HOUR }[interval]) + 1;
    const edges = stepsOf(from, to, interval, zone);
    expect([edges[0], edges.at(-1)]).toEqual([from, to]);
    for (let index = 0; index < edges.length - 1; index++) {
      const [start, end] = [edges[index] as Instant, edges[index + 1] as Instant];
      const label = `${zone} ${interval} ${new Date(start).toISOString()}`;
      // Every quarter of an hour within a step shows the same hour, day or month.
      for (let at: number = start; at < end; at += STRIDE[interval])
        expect(shown(at, zone)[interval], label).toBe(shown(start, zone)[interval]);
      if (end === to) continue;
      const [last, first] = [shown(end - 1, zone), shown(end, zone)];
      // An hour that clocks show twice is two steps.
      if (interval !== 'hour' || end - start < HOUR) expect(first[interval], label).not.toBe(last[interval]);
      else
        expect([first.hour !== last.hour || first.minutes <= last.minutes, end - start], label).toEqual([true, HOUR]);
    }
  }
});

test('days of daylight saving have 23 and 25 hours, and the clock of Lord Howe is put forward by half an hour', () => {
  const lengths = (from: string, to: string, zone: string) => {
    const edges = stepsOf(Date.parse(from), Date.parse(to), 'day', zone);
    return edges.slice(1).map((edge, index) => (edge - (edges[index] as number)) / HOUR);
  };
  expect(lengths('2026-03-27T23:00:00Z', '2026-03-30T22:00:00Z', 'Europe/Berlin')).toEqual([24, 23, 24]);
  expect(lengths('2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z', 'Europe/Berlin')).toEqual([24, 25, 24]);
  expect(lengths('2026-10-02T13:30:00Z', '2026-10-05T13:00:00Z', 'Australia/Lord_Howe')).toEqual([24, 23.5, 24]);
});

test('days of a time zone with half an hour begin at half past the hours of UTC', () => {
  const edges = stepsOf(Date.parse('2026-01-01T12:00:00Z'), Date.parse('2026-01-03T12:00:00Z'), 'day', 'Asia/Kolkata');
  expect(edges.slice(1, -1).map((at) => new Date(at).toISOString())).toEqual([
    '2026-01-01T18:30:00.000Z',
    '2026-01-02T18:30:00.000Z',
  ]);
});

test('has no more steps than allowed, and no clock of an unknown zone', () => {
  const clock = wallClockOf('UTC');
  const of = (maxSteps: number) =>
    clock && timeSteps({ from: instant(0), to: instant(10 * HOUR), interval: 'hour', clock }, maxSteps);
  expect([of(9), of(10)?.length]).toEqual([undefined, 11]);
  expect(wallClockOf('Europe/Bonn')).toBeUndefined();
});
