import { type Instant, instant } from '../../../domain/core/brands.ts';

export const INTERVALS = ['hour', 'day', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

const HOUR_MS = 3_600_000;
const HOURS_OF_DAY = 24;
const DAY_MS = HOURS_OF_DAY * HOUR_MS;

/** A wall clock: `at` as if it were UTC. */
type WallClock = (at: number) => number;

/** Zones whose clocks are kept, and days of each: ten years. */
const MAX_CLOCKS = 32;
const MAX_DAYS = 3_660;
/** By the name of the zone, the first one goes first. */
const clocks = new Map<string, WallClock>();

/**
 * Clocks are kept, as the platform takes 5 to 10 us to tell the offset of a day, and every chart of a year asks about the same 366.
 * @returns what clocks of a time zone show; undefined when there is no such zone
 */
export function wallClockOf(timeZone: string): WallClock | undefined {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = newClock(timeZone);
  if (!clock) return undefined;
  const [first] = clocks.keys();
  if (clocks.size >= MAX_CLOCKS && first !== undefined) clocks.delete(first);
  clocks.set(timeZone, clock);
  return clock;
}

function newClock(timeZone: string): WallClock | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  const exact: WallClock = (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1_000) + 1_000) % 1_000);
  };
  const offsets = new Map<number, number>();
  const offsetAt = (day: number): number => {
    let offset = offsets.get(day);
    if (offset === undefined) {
      offset = exact(day * DAY_MS) - day * DAY_MS;
      if (offsets.size >= MAX_DAYS) offsets.clear();
      offsets.set(day, offset);
    }
    return offset;
  };
  // To ask the platform takes microseconds: once for each day of UTC is enough, but for those on which clocks are put forward or back.
  return (at) => {
    const day = Math.floor(at / DAY_MS);
    const offset = offsetAt(day);
    return offset === offsetAt(day + 1) ? at + offset : exact(at);
  };
}

/** The first moment at which clocks show `wall` or later: a clock that is put forward skips times, one that is put back repeats them. */
function momentOf(wall: number, clock: WallClock): number {
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((at) => clock(at) - at);
  const candidates = offsets.map((offset) => wall - offset).filter((at) => clock(at) === wall);
  if (candidates.length > 0) return Math.min(...candidates);
  // Skipped: the moment at which the clock is put forward.
  let [before, after] = [wall - Math.max(...offsets), wall - Math.min(...offsets)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (clock(middle) < wall) before = middle;
    else after = middle;
  }
  return after;
}

function startOfWall(interval: Interval, wall: number): number {
  const date = new Date(wall);
  if (interval === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  return wall - (wall % (interval === 'day' ? DAY_MS : HOUR_MS));
}

function nextWall(interval: Interval, start: number): number {
  const date = new Date(start);
  if (interval === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  return start + (interval === 'day' ? DAY_MS : HOUR_MS);
}

/**
 * Splits a time range into the hours, days or months of a time zone, of which the first and the last may be parts.
 * @returns the first moments of all steps, and `to`; undefined for more than `maxSteps`
 */
export function timeSteps(
  { from, to, interval, clock }: { from: Instant; to: Instant; interval: Interval; clock: WallClock },
  maxSteps: number,
): Instant[] | undefined {
  const edges: number[] = [from];
  let wall = startOfWall(interval, clock(from));
  for (;;) {
    const last = edges.at(-1) as number;
    let next: number;
    let count = 1;
    if (interval === 'hour') {
      // An hour that clocks show twice is two steps.
      const intoHour = clock(last) % HOUR_MS;
      const soonest = last - intoHour + HOUR_MS;
      next = clock(soonest) % HOUR_MS === 0 ? soonest : soonest - (clock(soonest) % HOUR_MS);
      if (next <= last) next = soonest;
      // To ask a clock takes some microseconds: once a day is enough where it is not put forward or back.
      if (clock(next + DAY_MS) - clock(next) === DAY_MS) count = HOURS_OF_DAY;
    } else {
      wall = nextWall(interval, wall);
      // A day is 24 hours but where clocks are put forward or back, and finding that moment takes several looks at a clock.
      next =
        interval === 'day' && edges.length > 1 && clock(last + DAY_MS) === wall ? last + DAY_MS : momentOf(wall, clock);
      if (next <= last) continue;
    }
    for (; count > 0; count--, next += HOUR_MS) {
      if (next >= to) return [...edges, to].map(instant);
      if (edges.length >= maxSteps) return undefined;
      edges.push(next);
    }
  }
}
