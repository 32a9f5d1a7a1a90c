import type { paths } from '#lib/api/openapi.d.ts';

type Answer = paths['/api/dashboard/trends']['get']['responses'][200]['content']['application/json'];
export type Point = Answer['points'][number];

/** What can be looked at, and how finely it is drawn. */
export const STRETCHES = [
  { name: '24h', title: '24 hours', hours: 24, stepMinutes: 10, rowsBy: 'hour' },
  { name: '7d', title: '7 days', hours: 168, stepMinutes: 60, rowsBy: 'day' },
] as const;
export type Stretch = (typeof STRETCHES)[number];

export const stretchOf = (name: string | null): Stretch =>
  STRETCHES.find((stretch) => stretch.name === name) ?? STRETCHES[0];

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
  /** ISO 8601, the last moment included, as the request log is asked for it. */
  readonly since: string;
  readonly until: string;
}

/** The points as few enough rows to be read: by the hour or the day of the viewer, newest first, empty ones left out. */
export function rowsOf(
  points: readonly Point[],
  { rowsBy, stepMinutes }: Pick<Stretch, 'rowsBy' | 'stepMinutes'>,
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
      ...stretchBetween(group, stepMinutes),
      ...sumsOf(group),
    }))
    .filter(({ requests }) => requests > 0)
    .reverse();
}

/** What the request log is asked for to see the requests of some points that follow one another. */
export function stretchBetween(
  points: readonly Pick<Point, 't'>[],
  stepMinutes: number,
): { since: string; until: string } {
  const since = points[0]?.t ?? '';
  const last = Date.parse(points.at(-1)?.t ?? '') + stepMinutes * 60_000 - 1;
  return { since, until: new Date(last).toISOString() };
}

export const logsHref = ({ since, until }: { since: string; until: string }): string =>
  `/request-logs?${new URLSearchParams({ since, until })}`;
