import { type Instant, instant } from '../core/brands.ts';
import type { HoldScope } from './events.ts';

/** What may be held: events of a period, limited to those of some subjects. */
export interface HeldRange {
  /** Times of the events, the end excluded; absent: not limited on that side. */
  readonly from?: Instant;
  readonly until?: Instant;
  /** Subjects of the events as History names them; absent: they are not known, so it may be any. */
  readonly subjects?: ReadonlySet<string>;
}

/**
 * What may be held: the events of a UTC day (`2026-11-01`), of a stream, about a subject, or of a range. A stream whose name ends
 * with a day has events of any subject at that day; any other stream is about the subject of its name.
 */
export type Holdable =
  | { readonly day: string }
  | { readonly stream: string }
  | { readonly subject: string }
  | HeldRange;

/** @returns the holds that match something of it, in their order */
export function holdsOn<Hold extends HoldScope>(holds: Iterable<Hold>, what: Holdable): Hold[] {
  const range = rangeOf(what);
  return Array.from(holds).filter(
    ({ subject, from, until }) =>
      (range.until === undefined || from === null || from < range.until) &&
      (range.from === undefined || until === null || until > range.from) &&
      (subject === null || range.subjects === undefined || range.subjects.has(subject)),
  );
}

/** Whether a hold forbids to archive or to destroy it. */
export const isHeld = (holds: Iterable<HoldScope>, what: Holdable): boolean => holdsOn(holds, what).length > 0;

const DAY_MS = 86_400_000;

function rangeOf(what: Holdable): HeldRange {
  if ('day' in what) return dayRange(what.day);
  if ('subject' in what) return { subjects: new Set([what.subject]) };
  if (!('stream' in what)) return what;
  // A stream that goes on after the store refused more in it has a number behind the day.
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)(?:_\d+)?$/.exec(what.stream) ?? [];
  return day === undefined ? { subjects: new Set([what.stream]) } : dayRange(`${year}-${month}-${day}`);
}

function dayRange(day: string): HeldRange {
  const from = Date.parse(`${day}T00:00:00Z`);
  return { from: instant(from), until: instant(from + DAY_MS) };
}
