import { print, whole } from './figures.ts';
import { requestLogTotal } from './management.ts';

/**
 * Compares the request log with what the load generators saw completed. wrk hangs up on what is open when its time is over,
 * so up to that many rows more are right; fewer never are.
 */
export async function requestLogMatches(
  base: string,
  before: number,
  { what, completed, cutAtMost }: { what: string; completed: number; cutAtMost: number },
): Promise<boolean> {
  const rows = (await requestLogTotal(base, before + completed + cutAtMost)) - before;
  const right = rows >= completed && rows <= completed + cutAtMost;
  const expected = cutAtMost === 0 ? whole(completed) : `${whole(completed)} and up to ${whole(cutAtMost)} cut off`;
  print(`  ${right ? 'ok ' : '!!!'} request log after ${what}: ${whole(rows)} rows for ${expected}`);
  return right;
}
