import type { ReplayJson } from '../replayJson.ts';
import type { Pair, WhatIfReport } from '../whatIf/report.ts';
import { type Cell, csvLine } from './csv.ts';

const HEADER = ['part', 'name', 'detail', 'measure', 'recorded', 'simulated'];

/**
 * A replay as CSV, one figure a line: the part of the report, what it is about, the measure, and the figure of the recording
 * beside that of the simulation. A figure that is not known is empty.
 */
export function* replayCsv(replay: ReplayJson, report: WhatIfReport | null): Generator<string> {
  yield csvLine(HEADER);
  const { requests, choices, admissions, refusals, counted_only, repeated, archived, differences } = replay;
  const counts = { requests, choices, admissions, refusals, counted_only, repeated, archived };
  for (const [measure, count] of Object.entries({ ...counts, differences: differences.length }))
    yield csvLine(['replay', null, null, measure, count, null]);
  for (const { request_id, decision, recorded, replayed } of differences)
    yield csvLine(['difference', request_id, decision, 'repeated', recorded, replayed]);
  if (report) for (const row of rowsOf(report)) yield csvLine(row);
}

type Row = readonly [part: string, name: string | null, detail: string | null, measure: string, Cell, Cell];

const row = (part: string, name: string | null, detail: string | null, measure: string, pair: Pair<Cell>): Row => [
  part,
  name,
  detail,
  measure,
  pair.recorded,
  pair.simulated,
];

function* rowsOf(report: WhatIfReport): Generator<Row> {
  for (const [name, count] of Object.entries(report.requests)) yield ['requests', null, null, name, null, count];
  for (const [name, pair] of Object.entries(report.outcomes)) yield row('total', null, null, `requests_${name}`, pair);
  yield row('total', null, null, 'tokens', report.tokens);
  yield row('total', null, null, 'cost_usd', report.cost_usd);
  for (const account of report.accounts) {
    const { account_id: name, plan_type: detail } = account;
    for (const measure of ['requests', 'tokens', 'cost_usd', 'primary_percent', 'secondary_percent'] as const)
      yield row('account', name, detail, measure, account[measure]);
  }
  for (const { reason, subject, rule, rule_id, requests } of report.refusals)
    yield row(
      'refusal',
      subject ?? reason,
      rule ?? (rule_id === null ? null : `rule ${rule_id}`),
      'requests',
      requests,
    );
  for (const limit of report.limits) {
    const { subject: name, limit_type, limit_window, model_filter } = limit;
    const detail = `${limit_type} ${limit_window}${model_filter === null ? '' : ` on ${model_filter}`}`;
    for (const measure of ['max_value', 'windows', 'most_used'] as const)
      yield row('limit', name, detail, measure, limit[measure]);
  }
  for (const cost of report.costs) {
    const { api_key_id: name, model: detail } = cost;
    for (const measure of ['requests', 'tokens', 'cost_usd'] as const)
      yield row('cost', name, detail, measure, cost[measure]);
  }
  for (const point of report.series.points)
    for (const measure of ['served', 'failed', 'refused', 'cost_usd'] as const)
      yield row('time', point.at, null, measure, point[measure]);
  for (const { request_id, recorded, simulated } of report.different_requests)
    for (const measure of ['outcome', 'account_id', 'reason'] as const)
      yield row('request', request_id, null, measure, { recorded: recorded[measure], simulated: simulated[measure] });
  for (const { code, requests, text } of report.not_known) yield ['not_known', code, text, 'requests', null, requests];
}
