import type { Api, ShownRow, ShownRule } from './api.ts';
import type { Heard } from './load.ts';
import type { Completed, LogBook } from './logBook.ts';

// Each check says what is not as promised, one line a finding.

/** Whether the log has what a client saw the end of, and says the same of it. */
export function checkHeard({ completed }: LogBook, answer: Heard): string[] {
  const { ending, requestId = '', status, code, usage, keyId } = answer;
  if (!ending) return [`broke before the kill: ${JSON.stringify(answer)}`];
  const row = completed.get(requestId);
  // What a limit refuses is an event of its own up to 60 times a minute and key, then a number.
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

/** Whether everything that was announced has ended, and what a kill left open as abandoned. */
export function checkAbandoned({ admitted, completed }: LogBook, heldOpen: readonly string[]): string[] {
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

/** Whether each rule of each key has counted what the log says, to the token and to the micro-dollar. */
export async function checkCounters({ completed }: LogBook, api: Api): Promise<string[]> {
  const byKey = Map.groupBy(completed.values(), ({ keyId }) => keyId as string);
  return (await api.keys()).flatMap(({ id, name, limits }) =>
    limits.flatMap((rule) => {
      const { exact, whole } = countedBy(rule);
      const wanted = sumFor(rule, byKey.get(id) ?? []);
      const what = `key ${name}, ${rule.limit_window} ${rule.limit_type} on ${rule.model_filter ?? 'all models'}`;
      return [
        ...(exact === wanted ? [] : [`${what}: counted ${exact}, the log has ${wanted}`]),
        ...(rule.current_value === whole ? [] : [`${what}: shown ${rule.current_value}, not ${whole}`]),
        ...(rule.reserved_value === 0 ? [] : [`${what}: ${rule.reserved_value} is reserved by nobody`]),
      ];
    }),
  );
}

/** Whether rows of the request log say what their events say, none of them twice. */
export function checkRows({ completed, refused }: LogBook, rows: readonly ShownRow[]): string[] {
  const ids = new Set(rows.map(({ request_id }) => request_id));
  const problems = ids.size === rows.length ? [] : [`${rows.length - ids.size} rows stand in the request log twice`];
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

/** Whether the request log has a row for each request of the log and no other. */
export function checkWholeRequestLog(book: LogBook, rows: readonly ShownRow[]): string[] {
  const wanted = [...book.completed.keys(), ...book.refused.keys()].toSorted();
  const shown = rows.map(({ request_id }) => request_id).toSorted();
  const isSame = shown.length === wanted.length && shown.every((id, index) => id === wanted[index]);
  return [...(isSame ? [] : ['the request log holds other requests than the log']), ...checkRows(book, rows)];
}

const DAY_MS = 86_400_000;

/** When the window that a rule shows began. */
function beginOf({ limit_window, reset_at }: ShownRule): number {
  const end = new Date(reset_at);
  if (limit_window === 'monthly') return Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1);
  return end.getTime() - (limit_window === 'daily' ? DAY_MS : 7 * DAY_MS);
}

/** Tokens, or micro-dollars. */
function sumFor(rule: ShownRule, requests: readonly Completed[]): number {
  const begin = beginOf(rule);
  let sum = 0;
  for (const { model, requestedAt, usage, costMicroDollars } of requests) {
    if (requestedAt < begin || (rule.model_filter !== null && rule.model_filter !== model)) continue;
    const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
    if (rule.limit_type === 'cost_usd') sum += costMicroDollars ?? 0;
    if (rule.limit_type === 'input_tokens' || rule.limit_type === 'total_tokens') sum += inputTokens;
    if (rule.limit_type === 'output_tokens' || rule.limit_type === 'total_tokens') sum += outputTokens;
  }
  return sum;
}

/** What a rule shows to have counted, in its own unit, and what its `current_value` must be then. */
function countedBy({ limit_type, current_value, current_cost_usd = Number.NaN }: ShownRule) {
  if (limit_type !== 'cost_usd') return { exact: current_value, whole: current_value };
  const exact = Math.round(current_cost_usd * 1_000_000);
  return { exact, whole: Math.floor(exact / 1_000_000) };
}

const shownOf = (row: ShownRow) => [
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
