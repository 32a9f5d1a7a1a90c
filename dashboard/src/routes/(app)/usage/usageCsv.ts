import { csvRow } from '#lib/format/csv.ts';
import { GROUPINGS } from './usageQuery.ts';
import { cachedShare, type Group, groupName, type UsageReport } from './usageReport.ts';

type Value = (group: Omit<Group, 'id' | 'label'>) => number | null;
const VALUES: readonly (readonly [title: string, value: Value])[] = [
  ['Requests', ({ requests }) => requests],
  ['Failed requests', ({ errors }) => errors],
  ['Input tokens', ({ input_tokens }) => input_tokens],
  ['Cached input tokens', ({ cached_input_tokens }) => cached_input_tokens],
  ['Cached share of input (%)', (group) => roundedShare(cachedShare(group))],
  ['Output tokens', ({ output_tokens }) => output_tokens],
  ['Reasoning tokens', ({ reasoning_tokens }) => reasoning_tokens],
  ['Cost (USD)', ({ cost_usd }) => cost_usd],
  ['Latency p50 (ms)', ({ latency_ms }) => latency_ms?.p50 ?? null],
  ['Latency p95 (ms)', ({ latency_ms }) => latency_ms?.p95 ?? null],
  ['Latency p99 (ms)', ({ latency_ms }) => latency_ms?.p99 ?? null],
  ['First byte p50 (ms)', ({ first_byte_ms }) => first_byte_ms?.p50 ?? null],
  ['First byte p95 (ms)', ({ first_byte_ms }) => first_byte_ms?.p95 ?? null],
  ['First byte p99 (ms)', ({ first_byte_ms }) => first_byte_ms?.p99 ?? null],
  ['Output tokens per second', ({ tokens_per_second }) => tokens_per_second],
];

function roundedShare(share: number | null): number | null {
  return share === null ? null : Math.round(share * 10) / 10;
}

/** A line for each group, in the given order, and one for the total, each with the figures of the period before. */
export function usageCsv({ asked, current, before }: UsageReport, groups: readonly Group[]): string {
  const { label } = GROUPINGS.find(({ value }) => value === asked.by) ?? { label: 'Group' };
  const earlier = new Map(before.groups.map((group) => [group.id, group]));
  const line = (name: string, id: string | null, own: Omit<Group, 'id' | 'label'>, past: Group | undefined) =>
    csvRow([name, id, ...VALUES.map(([, value]) => value(own)), past?.requests ?? 0, past?.cost_usd ?? 0]);
  return [
    // Spreadsheets recognise UTF-8 only by the byte order mark.
    '\u{feff}',
    csvRow([
      label,
      'ID',
      ...VALUES.map(([title]) => title),
      'Requests in the period before',
      'Cost in the period before (USD)',
    ]),
    ...groups.map((group) => line(groupName(group, asked.by), group.id, group, earlier.get(group.id))),
    line('Total', null, current.total, { ...before.total, id: null, label: 'Total' }),
  ].join('');
}

/** e.g. `svc-usage-by-key-2026-11-21.csv` */
export const usageFileName = (by: string, now: number): string =>
  `svc-usage-by-${by}-${new Date(now).toISOString().slice(0, 10)}.csv`;
