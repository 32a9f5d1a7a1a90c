import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { countAppends } from '../../src/app/metrics/appendMetrics.ts';
import type { Foundation } from '../../src/app/wiring/foundation.ts';
import { addServiceMetrics, type ServiceMetricsOptions } from '../../src/app/wiring/serviceMetrics.ts';
import { HttpResponses } from '../../src/lib/metrics/httpResponses.ts';
import { MetricRegistry } from '../../src/lib/metrics/metricRegistry.ts';
import type { OpenRequests } from '../../src/proxy/exchange/openRequests.ts';
import { openRequestMetrics } from '../../src/proxy/metrics/openRequestMetrics.ts';
import { RequestMetrics } from '../../src/proxy/metrics/requestMetrics.ts';
import { SocketMetrics } from '../../src/proxy/metrics/socketMetrics.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What Prometheus adds to every series. */
const ADDED = ['instance', 'job'];
/** Made by Prometheus itself. */
const OWN = new Map([['up', ADDED]]);

/** The labels of every series by its name. The parts that the metrics read are absent: no sample is read here. */
function seriesOfService(): Map<string, readonly string[]> {
  const metrics = new MetricRegistry();
  const absent: unknown = new Proxy(() => undefined, { get: (_, name) => (name === 'metrics' ? metrics : absent) });
  countAppends(metrics);
  metrics.add(new HttpResponses().metric, ...new RequestMetrics({ isKnownModel: () => true, now: Date.now }).metrics);
  metrics.add(...openRequestMetrics(absent as OpenRequests), ...new SocketMetrics(() => []).metrics);
  addServiceMetrics(absent as Foundation, absent as ServiceMetricsOptions);
  return new Map(
    metrics.metrics.flatMap(({ name, type, labelNames }): [string, readonly string[]][] => {
      const labels = [...labelNames, ...ADDED];
      if (type !== 'histogram') return [[name, labels]];
      return [
        [`${name}_bucket`, [...labels, 'le']],
        [`${name}_sum`, labels],
        [`${name}_count`, labels],
      ];
    }),
  );
}

/** What an expression names: each series with the labels that it is selected by, and the labels of groupings. */
function namesIn(expr: string) {
  const text = expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
  const selectors: { name: string; labels: string[] }[] = [];
  const groupings: string[] = [];
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`not PromQL: ${text} at ${node.from}`);
      const own = text.slice(node.from, node.to);
      if (node.name === 'VectorSelector') selectors.push({ name: /^\w+/.exec(own)?.[0] ?? '', labels: [] });
      if (node.name === 'LabelName') {
        const isGrouping = node.node.parent?.name === 'GroupingLabels';
        if (isGrouping) groupings.push(own);
        else selectors.at(-1)?.labels.push(own);
      }
    },
  });
  return { selectors, groupings };
}

const series = new Map([...seriesOfService(), ...OWN]);

/** @returns what in the expression does not exist */
function problemsOf(expr: string): string[] {
  const { selectors, groupings } = namesIn(expr);
  if (selectors.length === 0) return ['names no series'];
  const known = selectors.flatMap(({ name }) => series.get(name) ?? []);
  return [
    ...selectors.filter(({ name }) => !series.has(name)).map(({ name }) => `no series ${name}`),
    ...selectors.flatMap(({ name, labels }) =>
      labels.filter((label) => !series.get(name)?.includes(label)).map((label) => `${name} has no label ${label}`),
    ),
    ...groupings.filter((label) => !known.includes(label)).map((label) => `no series has the label ${label}`),
  ];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}
const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const { panels } = JSON.parse(read('deploy/grafana/svc.json')) as { panels: Panel[] };

test.each(rules.map((rule) => [rule.alert, rule] as const))('the alert %s uses metrics that exist', (_name, rule) => {
  expect(problemsOf(rule.expr)).toEqual([]);
  const { selectors, groupings } = namesIn(rule.expr);
  const isGrouped = groupings.length > 0;
  const shown = isGrouped ? groupings : selectors.flatMap(({ name }) => series.get(name) ?? []);
  for (const sentence of Object.values(rule.annotations))
    for (const [, label] of sentence.matchAll(/\$labels\.(\w+)/g)) expect(shown).toContain(label);
});

test.each(panels.map((panel) => [panel.title, panel] as const))(
  'the panel %s uses metrics that exist',
  (_name, { targets }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr, legendFormat } of targets) {
      expect(problemsOf(expr)).toEqual([]);
      const known = namesIn(expr).selectors.flatMap(({ name }) => series.get(name) ?? []);
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(known).toContain(label);
    }
  },
);

test('every metric is on the dashboard', () => {
  const shown = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => namesIn(expr).selectors.map(({ name }) => name)),
  );
  const metricOf = (name: string) => name.replace(/_(bucket|sum|count)$/, '');
  const missing = [...series.keys()]
    .filter((name) => !OWN.has(name))
    .map(metricOf)
    .filter((name) => !shown.map(metricOf).includes(name));
  expect(missing).toEqual([]);
});

test('problems that alerts name exist', () => {
  const codes = rules.flatMap(({ expr }) => /code=~"([^"]+)"/.exec(expr)?.[1]?.split('|') ?? []);
  expect(codes.length).toBeGreaterThan(0);
  for (const code of codes) expect(read('docs/operation.md')).toContain(`\`${code}\``);
});

test('an expression over what does not exist is found', () => {
  expect(problemsOf('sum by (route) (rate(svc_attempts_total{status="200"}[5m])) / svc_invented')).toEqual([
    'no series svc_invented',
    'svc_attempts_total has no label status',
    'no series has the label route',
  ]);
  expect(() => problemsOf('sum by (route (svc_attempts_total)')).toThrow('not PromQL');
});
