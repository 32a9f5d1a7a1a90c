import { expect, test } from 'vitest';
import { changeText, metricOf } from './metrics.ts';
import { usageCsv } from './usageCsv.ts';
import { spanOf, usageQueryFrom } from './usageQuery.ts';
import { type Breakdown, type Figures, type Group, groupName, isRest, partsOf, sortGroups } from './usageReport.ts';

const figures = (requests: number, cost = requests): Figures => ({
  requests,
  errors: 0,
  input_tokens: requests * 10,
  cached_input_tokens: 0,
  output_tokens: requests,
  reasoning_tokens: 0,
  cost_usd: cost,
  tokens_per_second: null,
  latency_ms: requests > 2 ? { p50: requests, p95: requests, p99: requests } : null,
  first_byte_ms: null,
});
const group = (id: string | null, requests: number, label = id === null ? 'None' : `the ${id}`): Group => ({
  id,
  label,
  ...figures(requests),
});
const asked = usageQueryFrom(new URLSearchParams(), ['key']);

function reportOf(groups: readonly Group[]) {
  const total = figures(groups.reduce((sum, { requests }) => sum + requests, 0));
  const step = {
    at: '2026-11-21T00:00:00Z',
    total,
    groups: Object.fromEntries(groups.map((own) => [own.id ?? '', own])),
  };
  const current = { groups: [...groups], series: [step], total } as unknown as Breakdown;
  return { asked, span: spanOf(asked, Date.parse('2026-11-21T12:00:00Z')), current, before: current };
}

test('the chart shows the seven largest groups and the sum of all others', () => {
  const report = reportOf(Array.from({ length: 9 }, (_, index) => group(`k${index}`, index + 1)));
  const parts = partsOf(report, metricOf('requests'));
  expect(parts.map(({ name, values }) => [name, values[0]])).toEqual([
    ['the k8', 9],
    ['the k7', 8],
    ['the k6', 7],
    ['the k5', 6],
    ['the k4', 5],
    ['the k3', 4],
    ['the k2', 3],
    ['All others', 3],
  ]);
  expect(parts.at(-1)?.total).toBe('3');
});

test('the group without an id has its own part, and groups of nothing have none', () => {
  const parts = partsOf(reportOf([group(null, 2), group('k', 1), group('idle', 0)]), metricOf('requests'));
  expect(parts.map(({ name, values }) => [name, values[0]])).toEqual([
    ['None', 2],
    ['the k', 1],
  ]);
});

test('sorts by a column, with what has no latency last in both directions', () => {
  const groups = [group('one', 1), group('two', 20), group('three', 3)];
  const order = (query: string) =>
    sortGroups(groups, usageQueryFrom(new URLSearchParams(query), ['key'])).map(({ id }) => id);
  expect(order('sort=p95')).toEqual(['two', 'three', 'one']);
  expect(order('sort=p95&order=asc')).toEqual(['three', 'two', 'one']);
  expect(order('sort=label&order=asc')).toEqual(['one', 'three', 'two']);
});

test('sorts by the cached share of the input, with what has no input last', () => {
  const sharing = (id: string, cached: number, input = 100) => ({
    ...group(id, 1),
    input_tokens: input,
    cached_input_tokens: cached,
  });
  const groups = [sharing('none', 0, 0), sharing('half', 50), sharing('large', 900, 1_000), sharing('cold', 0)];
  const order = (query: string) =>
    sortGroups(groups, usageQueryFrom(new URLSearchParams(query), ['client'])).map(({ id }) => id);
  expect(order('sort=cached')).toEqual(['large', 'half', 'cold', 'none']);
  expect(order('sort=cached&order=asc')).toEqual(['cold', 'half', 'large', 'none']);
});

test('names what was deleted, and the rest beyond the bound of groups', () => {
  expect(groupName({ id: '0123456789', label: '0123456789' }, 'key')).toBe('Deleted key 01234567');
  expect(groupName({ id: 'gpt', label: 'gpt' }, 'model')).toBe('gpt');
  expect(groupName({ id: 'websocket', label: 'websocket' }, 'transport')).toBe('WebSocket');
  expect(isRest(group('other', 1, 'Other'))).toBe(true);
  expect(isRest(group('other', 1))).toBe(false);
});

test.each([
  [12, 10, '+20 %'],
  [5, 10, '−50 %'],
  [1_002, 1_000, 'no change'],
  [500, 10, '50 times'],
  [5, 0, undefined],
])('compares %d with %d', (value, before, expected) => {
  expect(changeText(value, before)).toBe(expected);
});

test('a file has the names of groups as text, and their total', () => {
  const groups = [group('k', 2, '@evil, "quoted"'), group(null, 1)];
  const lines = usageCsv(reportOf(groups), groups).split('\r\n');
  expect(lines.slice(1)).toEqual([
    `"'@evil, ""quoted""",k,2,0,20,0,0,2,0,2,,,,,,,,2,2`,
    'None,,1,0,10,0,0,1,0,1,,,,,,,,1,1',
    'Total,,3,0,30,0,0,3,0,3,3,3,3,,,,,3,3',
    '',
  ]);
});
