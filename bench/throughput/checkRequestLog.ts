import { integer, print } from './figures.ts';
import { requestLogTotal } from './management.ts';

/**
 * Compares the request log with the requests that the load generator completed. wrk disconnects open requests when its time
 * is over, so up to `maxCutOff` further rows are valid; fewer rows never are.
 * @returns whether the log is complete
 */
export async function checkRequestLog(
  base: string,
  before: number,
  { what, completed, maxCutOff }: { what: string; completed: number; maxCutOff: number },
): Promise<boolean> {
  const rows = (await requestLogTotal(base, before + completed + maxCutOff)) - before;
  const isComplete = rows >= completed && rows <= completed + maxCutOff;
  const expected =
    maxCutOff === 0 ? integer(completed) : `${integer(completed)} and up to ${integer(maxCutOff)} cut off`;
  print(`  ${isComplete ? 'ok ' : '!!!'} request log after ${what}: ${integer(rows)} rows for ${expected}`);
  return isComplete;
}
