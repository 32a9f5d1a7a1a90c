import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** CPU time of each thread (or pool of helper threads) since it began, in microseconds, by a name that is the same in every reading. */
export type ThreadTimes = ReadonlyMap<string, number>;

// USER_HZ is 100 on every Linux that Node supports: a tick is 10 ms
const microsecondsPerTick = 10_000;

/** Reads /proc/<pid>/task/<tid>/stat of every thread of the process; a thread that ends meanwhile is left out. */
export function threadTimes(pid: number): ThreadTimes {
  const times = new Map<string, number>();
  if (!existsSync(`/proc/${pid}`)) throw new Error(`process ${pid} ended while it was measured: its log says why`);
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const stat = readStat(`/proc/${pid}/task/${tid}/stat`);
    if (stat === undefined) continue;
    const name = Number(tid) === pid ? 'main' : nameOf(stat.name, tid);
    times.set(name, (times.get(name) ?? 0) + stat.ticks * microsecondsPerTick);
  }
  return times;
}

// V8's and libuv's helpers are interchangeable, so a pool counts as one; a Worker is known by its name and its id
const nameOf = (name: string, tid: string): string =>
  /^(V8Worker|libuv-worker)/.test(name) ? `${name} (all)` : `${name} ${tid}`;

/** What each thread used between two readings, in microseconds. */
export function usedBetween(before: ThreadTimes, after: ThreadTimes): Map<string, number> {
  return new Map([...after].map(([name, us]) => [name, us - (before.get(name) ?? 0)]));
}

export const total = (times: ThreadTimes): number => [...times.values()].reduce((sum, us) => sum + us, 0);

export function addTo(sum: Map<string, number>, part: ThreadTimes): void {
  for (const [name, us] of part) sum.set(name, (sum.get(name) ?? 0) + us);
}

function readStat(file: string): { name: string; ticks: number } | undefined {
  try {
    const line = readFileSync(file, 'utf8');
    const nameEnd = line.lastIndexOf(')'); // a thread may be called anything, also ") ("
    const fields = line.slice(nameEnd + 2).split(' ');
    return { name: line.slice(line.indexOf('(') + 1, nameEnd), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}

/**
 * Waits until the process has next to nothing to do any more, so that work which it put off is charged to the load that
 * caused it and not to the other side's next round. Gives up after 20 s.
 */
export async function untilQuiet(pid: number): Promise<void> {
  let calm = 0;
  let before = total(threadTimes(pid));
  for (let tries = 0; tries < 80 && calm < 2; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const now = total(threadTimes(pid));
    calm = now - before <= 2 * microsecondsPerTick ? calm + 1 : 0;
    before = now;
  }
}
