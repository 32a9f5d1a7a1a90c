import type { Gateway } from '../../support/gateway.ts';
import type { Examined } from './examine.ts';

/** What the log says of refused requests: one by one, and as numbers by code. */
function refusalsOf(gateway: Gateway) {
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
 * Compares what was answered with what the log of a stopped gateway says.
 * @param leeway so many clients left before they could be answered, which may be in the log or not
 * @returns the differences in words
 */
export function differencesToLog(gateway: Gateway, examined: readonly Examined[], leeway = 0): string[] {
  const { rows, counted } = refusalsOf(gateway);
  const differences: string[] = [];
  const answered: Record<string, number> = {};
  for (const { request, answer } of examined) {
    if (!answer) continue;
    const row = rows.get(answer.headers['x-request-id'] ?? '');
    rows.delete(answer.headers['x-request-id'] ?? '');
    if (!request.isLogged) {
      if (row) differences.push(`${request.name} is in the log`);
      continue;
    }
    const { error } = JSON.parse(answer.text);
    answered[error.code] = (answered[error.code] ?? 0) + 1;
    const said = row && [row.status, row.errorCode, row.errorMessage].join(' ');
    const got = [answer.status, error.code, error.message.slice(0, 500)].join(' ');
    if (row && said !== got) differences.push(`${request.name} is in the log as "${said}" and was answered "${got}"`);
  }
  if (rows.size > leeway) differences.push(`${rows.size} rows of the log belong to no answer`);
  for (const code of new Set([...Object.keys(counted), ...Object.keys(answered)])) {
    const [inLog, sent] = [counted[code] ?? 0, answered[code] ?? 0];
    if (inLog < sent || inLog > sent + leeway) differences.push(`${sent} answers are ${code}, the log has ${inLog}`);
  }
  return differences;
}
