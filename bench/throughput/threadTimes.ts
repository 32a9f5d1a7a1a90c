import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** CPU time of each thread (or pool of helper threads) since its start, in microseconds, by a stable name. */
export type ThreadTimes = ReadonlyMap<string, number>;

// USER_HZ is 100 on every Linux that Node supports: a tick is 10 ms.
const MICROSECONDS_PER_TICK = 10_000;

/** All threads that have ended, e.g. those of a job. */
const ENDED = 'ended threads';

/** Reads /proc/<pid>/task/<tid>/stat of every thread of the process, and how much those took that have ended. */
export function threadTimes(pid: number): ThreadTimes {
  const times = new Map<string, number>();
  if (!existsSync(`/proc/${pid}`)) throw new Error(`process ${pid} ended during the measurement; see its log`);
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const stat = readStat(`/proc/${pid}/task/${tid}/stat`);
    if (stat === undefined) continue;
    const name = Number(tid) === pid ? 'main' : nameOf(stat.name, tid);
    times.set(name, (times.get(name) ?? 0) + stat.ticks * MICROSECONDS_PER_TICK);
  }
  const all = (readStat(`/proc/${pid}/stat`)?.ticks ?? 0) * MICROSECONDS_PER_TICK;
  // The clock goes on between the readings.
  times.set(ENDED, Math.max(0, all - total(times)));
  return times;
}

// Helper threads of V8 and libuv are interchangeable, so each pool gets one entry. Workers are listed by name and id.
const nameOf = (name: string, tid: string): string =>
  /^(V8Worker|libuv-worker)/.test(name) ? `${name} (all)` : `${name} ${tid}`;

/** CPU time of each thread between two readings, in microseconds. */
export function usedBetween(before: ThreadTimes, after: ThreadTimes): Map<string, number> {
  const used = new Map([...after].map(([name, us]) => [name, us - (before.get(name) ?? 0)]));
  for (const [name, us] of before) if (!after.has(name)) used.set(ENDED, (used.get(ENDED) ?? 0) - us);
  return used;
}

/** @returns the sum over all threads, in microseconds */
export const total = (times: ThreadTimes): number => [...times.values()].reduce((sum, us) => sum + us, 0);

/** Adds the times of a measurement to a sum. */
export function addTo(sum: Map<string, number>, part: ThreadTimes): void {
  for (const [name, us] of part) sum.set(name, (sum.get(name) ?? 0) + us);
}

function readStat(file: string): { name: string; ticks: number } | undefined {
  try {
    const line = readFileSync(file, 'utf8');
    const nameEnd = line.lastIndexOf(')'); // a thread name may contain any text, even ") ("
    const fields = line.slice(nameEnd + 2).split(' ');
    return { name: line.slice(line.indexOf('(') + 1, nameEnd), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}

/**
 * Waits until the process is idle, so that deferred work is charged to the load that caused it and not to the next round of
 * the other side. Gives up after 20 s.
 */
export async function waitUntilIdle(pid: number): Promise<void> {
  let idle = 0;
  let before = total(threadTimes(pid));
  for (let tries = 0; tries < 80 && idle < 2; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const now = total(threadTimes(pid));
    idle = now - before <= 2 * MICROSECONDS_PER_TICK ? idle + 1 : 0;
    before = now;
  }
}
