import type { Schemas } from '#lib/api/client.ts';
import { compact, dollars } from '#lib/format/numbers.ts';

type Sums = Schemas['UsageSums'];

/** What the chart can show: sums, which stack. */
export const METRICS = [
  { name: 'cost', title: 'Cost', of: (sums: Sums) => sums.cost_usd, format: dollars },
  { name: 'requests', title: 'Requests', of: (sums: Sums) => sums.requests, format: compact },
  { name: 'tokens', title: 'Tokens', of: (sums: Sums) => sums.input_tokens + sums.output_tokens, format: compact },
  { name: 'errors', title: 'Failed requests', of: (sums: Sums) => sums.errors, format: compact },
] as const;
export type Metric = (typeof METRICS)[number];
export type MetricName = Metric['name'];

export const isMetric = (name: string | null): name is MetricName => METRICS.some((metric) => metric.name === name);

export const metricOf = (name: MetricName): Metric => METRICS.find((metric) => metric.name === name) ?? METRICS[0];

/** "+12 %", "−3 %", "no change"; undefined when there is nothing to compare with. */
export function changeText(value: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const change = (value / before - 1) * 100;
  if (Math.abs(change) < 0.5) return 'no change';
  const size = Math.abs(change);
  // Beyond that a factor reads better.
  if (change >= 1_000) return `${compact(Math.round(value / before))} times`;
  return `${change > 0 ? '+' : '−'}${Math.round(size)} %`;
}
