import type { ObservedResponse } from './load.ts';
import type { Api, RequestLogRow, ShownLimit } from './managementApi.ts';
import type { Completed, VerifiedLog } from './verifiedLog.ts';

// Each check returns its findings, one line each.

/** Checks that the log has a response whose end a client received, with the same outcome, key and usage. */
export function checkObserved({ completed }: VerifiedLog, response: ObservedResponse): string[] {
  const { ending, requestId = '', status, code, usage, keyId } = response;
  if (!ending) return [`broke before the kill: ${JSON.stringify(response)}`];
  const row = completed.get(requestId);
  // Up to 60 refusals a minute and key are events of their own; further ones are only counted.
  if (!row && status === 429 && code === 'rate_limit_exceeded') return [];
  if (!row) return [`lost: ${ending} (${status} ${code}) of ${requestId}`];
  const wanted = ending === 'error' ? String(status) : ending === 'failed' ? 'error' : '200';
  const logged = row.usage;
  const isSame =
    !usage ||
    (logged?.inputTokens === usage.input_tokens && logged.outputTokens === usage.output_tokens && !logged.isEstimated);
  return [
    ...(row.status === wanted ? [] : [`${requestId} ended with ${wanted} and is logged as ${row.status}`]),
    ...(row.keyId === keyId ? [] : [`${requestId} came with key ${keyId} and is logged under ${row.keyId}`]),
    ...(isSame ? [] : [`${requestId} used ${JSON.stringify(usage)}, logged is ${JSON.stringify(logged)}`]),
  ];
}

/** Checks that every announced request has ended, and as abandoned where a kill interrupted it. */
export function checkAbandoned({ admitted, completed }: VerifiedLog, heldOpen: readonly string[]): string[] {
  const problems: string[] = [];
  for (const { requestId, stream } of admitted.values()) {
    const row = completed.get(requestId);
    if (!row) problems.push(`${requestId} was announced and never ended`);
    else if (row.stream !== stream && row.errorCode !== 'abandoned') {
      problems.push(`${requestId} was announced before a kill and ended as ${row.status} ${row.errorCode}`);
    }
  }
  for (const requestId of heldOpen) {
    if (completed.get(requestId)?.errorCode !== 'abandoned') {
      problems.push(`${requestId} was open for 2 s at the kill and is not settled as abandoned`);
    }
  }
  return problems;
}

/** Checks that the counter of each limit equals the sum over the log, to the token and to the micro-dollar. */
export async function checkCounters({ completed }: VerifiedLog, api: Api): Promise<string[]> {
  const byKey = Map.groupBy(completed.values(), ({ keyId }) => keyId as string);
  const reservations = await api.reservations();
  const isReserved = reservations.requests > 0 || reservations.limits.length > 0;
  const reserved = isReserved ? [`reserved without an open request: ${JSON.stringify(reservations)}`] : [];
  const counted = (await api.keys()).flatMap(({ id, name, limits }) =>
    limits.flatMap((rule) => {
      const { exact, shown } = counterOf(rule);
      const wanted = sumFor(rule, byKey.get(id) ?? []);
      const what = `key ${name}, ${rule.limit_window} ${rule.limit_type} on ${rule.model_filter ?? 'all models'}`;
      return [
        ...(exact === wanted ? [] : [`${what}: counted ${exact}, the log has ${wanted}`]),
        ...(rule.current_value === shown ? [] : [`${what}: shown ${rule.current_value}, not ${shown}`]),
        ...(rule.reserved_value === 0 ? [] : [`${what}: ${rule.reserved_value} is reserved without an open request`]),
      ];
    }),
  );
  return [...counted, ...reserved];
}

/** Checks that rows of the request log equal their events, and that none occurs twice. */
export function checkRows({ completed, refused }: VerifiedLog, rows: readonly RequestLogRow[]): string[] {
  const ids = new Set(rows.map(({ request_id }) => request_id));
  const problems = ids.size === rows.length ? [] : [`${rows.length - ids.size} rows occur twice in the request log`];
  for (const row of rows) {
    const event = completed.get(row.request_id);
    const shown = JSON.stringify(shownOf(row));
    const wanted = event && JSON.stringify(wantedOf(event));
    if (event ? shown !== wanted : !refused.has(row.request_id)) {
      problems.push(`the request log shows ${shown}, the log has ${wanted}`);
    }
  }
  return problems;
}

/** Checks that the request log has a row for each request of the log and no other. */
export function checkWholeRequestLog(log: VerifiedLog, rows: readonly RequestLogRow[]): string[] {
  const wanted = [...log.completed.keys(), ...log.refused.keys()].toSorted();
  const shown = rows.map(({ request_id }) => request_id).toSorted();
  const isSame = shown.length === wanted.length && shown.every((id, index) => id === wanted[index]);
  return [...(isSame ? [] : ['the request log and the log have different requests']), ...checkRows(log, rows)];
}

const DAY_MS = 86_400_000;

/** Start of a limit's current window, in ms. */
function windowStart({ limit_window, reset_at }: ShownLimit): number {
  const end = new Date(reset_at);
  if (limit_window === 'monthly') return Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1);
  return end.getTime() - (limit_window === 'daily' ? DAY_MS : 7 * DAY_MS);
}

/** @returns the usage of the current window in tokens or micro-dollars */
function sumFor(rule: ShownLimit, requests: readonly Completed[]): number {
  const start = windowStart(rule);
  let sum = 0;
  for (const { model, requestedAt, usage, costMicroDollars } of requests) {
    if (requestedAt < start || (rule.model_filter !== null && rule.model_filter !== model)) continue;
    const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
    if (rule.limit_type === 'cost_usd') sum += costMicroDollars ?? 0;
    if (rule.limit_type === 'input_tokens' || rule.limit_type === 'total_tokens') sum += inputTokens;
    if (rule.limit_type === 'output_tokens' || rule.limit_type === 'total_tokens') sum += outputTokens;
  }
  return sum;
}

/** @returns a limit's counter in tokens or micro-dollars, and the `current_value` that it should show */
function counterOf({ limit_type, current_value, current_cost_usd = Number.NaN }: ShownLimit) {
  if (limit_type !== 'cost_usd') return { exact: current_value, shown: current_value };
  const exact = Math.round(current_cost_usd * 1_000_000);
  return { exact, shown: Math.floor(exact / 1_000_000) };
}

const shownOf = (row: RequestLogRow) => [
  row.request_id,
  row.api_key_id,
  row.account_id,
  row.model,
  row.status,
  row.error_code,
  row.input_tokens,
  row.output_tokens,
  row.cost_usd,
];

const wantedOf = ({ usage, costMicroDollars, ...event }: Completed) => [
  event.requestId,
  event.keyId,
  event.accountId,
  event.model,
  event.status,
  event.errorCode,
  usage?.inputTokens ?? null,
  usage?.outputTokens ?? null,
  costMicroDollars === null ? null : costMicroDollars / 1_000_000,
];
