import type { paths } from '#lib/api/openapi.d.ts';

type TrendsResponse = paths['/api/dashboard/trends']['get']['responses'][200]['content']['application/json'];
export type Point = TrendsResponse['points'][number];

/** Periods of the charts, with their resolution. */
export const PERIODS = [
  { name: '24h', title: '24 hours', hours: 24, stepMinutes: 10, rowsBy: 'hour' },
  { name: '7d', title: '7 days', hours: 168, stepMinutes: 60, rowsBy: 'day' },
] as const;
export type Period = (typeof PERIODS)[number];

export const periodOf = (name: string | null): Period => PERIODS.find((period) => period.name === name) ?? PERIODS[0];

export interface Sums {
  readonly requests: number;
  readonly errors: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
}

export const sumsOf = (points: readonly Point[]): Sums => ({
  requests: sum(points, 'requests'),
  errors: sum(points, 'errors'),
  inputTokens: sum(points, 'input_tokens'),
  cachedTokens: sum(points, 'cached_input_tokens'),
  outputTokens: sum(points, 'output_tokens'),
  cost: sum(points, 'cost_usd'),
});

const sum = (points: readonly Point[], name: Exclude<keyof Point, 't' | 'mean_latency_ms'>) =>
  points.reduce((total, point) => total + point[name], 0);

/** Errors among requests in percent; none without requests. */
export const errorPercent = ({ requests, errors }: Pick<Sums, 'requests' | 'errors'>): number =>
  requests === 0 ? 0 : (errors / requests) * 100;

export interface Row extends Sums {
  /** "Sat 21 Nov, 14:00" or "Sat 21 Nov" */
  readonly title: string;
  /** ISO 8601, both inclusive, as the request log expects them. */
  readonly since: string;
  readonly until: string;
}

/** Sums of the points by hour or day in the viewer’s time zone, newest first, without empty rows. */
export function rowsOf(
  points: readonly Point[],
  { rowsBy, stepMinutes }: Pick<Period, 'rowsBy' | 'stepMinutes'>,
  timeZone?: string,
): Row[] {
  const format = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(rowsBy === 'hour' && { hour: '2-digit' }),
    ...(timeZone && { timeZone }),
  });
  const groups = new Map<string, Point[]>();
  for (const point of points) {
    const title = format.format(Date.parse(point.t));
    groups.set(title, [...(groups.get(title) ?? []), point]);
  }
  return [...groups]
    .map(([title, group]) => ({
      title: rowsBy === 'hour' ? `${title}:00` : title,
      ...rangeOf(group, stepMinutes),
      ...sumsOf(group),
    }))
    .filter(({ requests }) => requests > 0)
    .reverse();
}

/** Time range of consecutive points, for a link to the request log. */
export function rangeOf(points: readonly Pick<Point, 't'>[], stepMinutes: number): { since: string; until: string } {
  const since = points[0]?.t ?? '';
  const last = Date.parse(points.at(-1)?.t ?? '') + stepMinutes * 60_000 - 1;
  return { since, until: new Date(last).toISOString() };
}

export const logsHref = ({ since, until }: { since: string; until: string }): string =>
  `/request-logs?${new URLSearchParams({ since, until })}`;
