import type { Gateway } from '../../support/gateway.ts';
import type { SentRequest } from './sendBadRequests.ts';

/** The refusals in the log: single events by request id, and counts by code. */
function loggedRefusals(gateway: Gateway) {
  const rows = new Map(gateway.events('RequestRefused').map(({ data }) => [data.requestId, data]));
  const counted: Record<string, number> = {};
  const counts = gateway.events('RefusalsCounted').filter(({ data }) => data.address === null);
  for (const [code, count] of [...counts.flatMap(({ data }) => Object.entries(data.counts)), ...rowCodes()]) {
    counted[code] = (counted[code] ?? 0) + count;
  }
  function* rowCodes(): Generator<[string, number]> {
    for (const { errorCode } of rows.values()) yield [errorCode, 1];
  }
  return { rows, counted };
}

/**
 * Compares the responses with the log of a stopped gateway.
 * @param leeway number of clients that disconnected before the response; the log may contain them or not
 * @returns a description of each difference
 */
export function differencesToLog(gateway: Gateway, sentRequests: readonly SentRequest[], leeway = 0): string[] {
  const { rows, counted } = loggedRefusals(gateway);
  const differences: string[] = [];
  const responded: Record<string, number> = {};
  for (const { request, response } of sentRequests) {
    if (!response) continue;
    const row = rows.get(response.headers['x-request-id'] ?? '');
    rows.delete(response.headers['x-request-id'] ?? '');
    if (!request.isLogged) {
      if (row) differences.push(`${request.name} is in the log`);
      continue;
    }
    const { error } = JSON.parse(response.text);
    responded[error.code] = (responded[error.code] ?? 0) + 1;
    const logged = row && [row.status, row.errorCode, row.errorMessage].join(' ');
    const got = [response.status, error.code, error.message.slice(0, 500)].join(' ');
    if (row && logged !== got) differences.push(`${request.name} is in the log as "${logged}" but got "${got}"`);
  }
  if (rows.size > leeway) differences.push(`${rows.size} events in the log have no response`);
  for (const code of new Set([...Object.keys(counted), ...Object.keys(responded)])) {
    const [inLog, sent] = [counted[code] ?? 0, responded[code] ?? 0];
    if (inLog < sent || inLog > sent + leeway) differences.push(`${sent} responses are ${code}, the log has ${inLog}`);
  }
  return differences;
}
