import type { Span } from './usageQuery.ts';

type Interval = Span['interval'];
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });
const monthAndYear = new Intl.DateTimeFormat('en-GB', { month: 'short', year: '2-digit' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** "Sat 21 Nov, 14:00", "Sat 21 Nov" or "November 2026", in the viewer's time zone. */
export function intervalTitle(ms: number, interval: Interval): string {
  if (interval === 'month') return month.format(ms);
  return interval === 'day' ? day.format(ms) : `${day.format(ms)}, ${clock.format(ms)}`;
}

/** For the ticks of a chart: "14:00", "21 Nov" or "Nov 26". */
export function tickTitle(ms: number, interval: Interval): string {
  const date = new Date(ms);
  if (interval === 'month') return monthAndYear.format(ms);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  return isMidnight ? dayAndMonth.format(ms) : interval === 'day' ? '' : clock.format(ms);
}
