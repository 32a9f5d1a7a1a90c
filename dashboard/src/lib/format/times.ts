// Times in the viewer's time zone.

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "12 seconds ago", "in 3 hours", "yesterday" */
export function ago(time: number, now: number): string {
  const seconds = Math.round((time - now) / 1_000);
  const size = Math.abs(seconds);
  if (size < 5) return 'just now';
  if (size < MINUTE) return relative.format(seconds, 'second');
  if (size < HOUR) return relative.format(Math.round(seconds / MINUTE), 'minute');
  if (size < DAY) return relative.format(Math.round(seconds / HOUR), 'hour');
  if (size < 30 * DAY) return relative.format(Math.round(seconds / DAY), 'day');
  if (size < 365 * DAY) return relative.format(Math.round(seconds / (30 * DAY)), 'month');
  return relative.format(Math.round(seconds / (365 * DAY)), 'year');
}

/** "2d 4h", "3h 12m", "45s": time remaining, in at most two units. */
export function left(time: number, now: number): string {
  const seconds = Math.max(0, Math.round((time - now) / 1_000));
  if (seconds < MINUTE) return `${seconds}s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < DAY) return joined(Math.floor(seconds / HOUR), 'h', Math.floor((seconds % HOUR) / MINUTE), 'm');
  return joined(Math.floor(seconds / DAY), 'd', Math.floor((seconds % DAY) / HOUR), 'h');
}

const joined = (large: number, one: string, small: number, other: string) =>
  small === 0 ? `${large}${one}` : `${large}${one} ${small}${other}`;

/** "4:05", for a countdown. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** "Sat, 21 Nov 2026, 19:32:16 GMT+1" in the viewer's zone. */
export const exactTime = (time: number, timeZone?: string): string =>
  formatter('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    ...(timeZone && { timeZone }),
  }).format(time);

/** "5 hours": minutes in the largest unit that divides them evenly. */
export function duration(minutes: number): string {
  if (minutes % 10_080 === 0) return plural(minutes / 10_080, 'week');
  if (minutes % 1_440 === 0) return plural(minutes / 1_440, 'day');
  if (minutes % 60 === 0) return plural(minutes / 60, 'hour');
  return plural(minutes, 'minute');
}

const plural = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** "22:41:07" today, "21 Nov, 22:41:07" on other days, with the year unless it is the current one; in the viewer's time zone. */
export function clockTime(time: number, now: number, timeZone?: string): string {
  const zone = timeZone ? { timeZone } : {};
  const [day, today] = [time, now].map((ms) => formatter('en-CA', zone).format(ms));
  const isThisYear = day?.slice(0, 4) === today?.slice(0, 4);
  return formatter('en-GB', {
    ...zone,
    ...(day !== today && { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(time);
}

/** Creating a formatter is expensive, and lists use one in every row. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${locale} ${JSON.stringify(options)}`;
  const known = formatters.get(name) ?? new Intl.DateTimeFormat(locale, options);
  formatters.set(name, known);
  return known;
}
