import { readFileSync } from 'node:fs';

/** CPU ticks since boot, of the whole machine, and of this process with the children that it has waited for. */
export interface MachineTimes {
  readonly busy: number;
  readonly stolen: number;
  readonly all: number;
  readonly ours: number;
}

/**
 * Interrupts count as neither busy nor ours: loopback traffic is delivered in them, and which process they are charged to
 * differs between kernels.
 */
export function machineTimes(): MachineTimes {
  const cpu = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , , , stolen = 0] = cpu;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const own = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  const add = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  return { busy: user + nice + system, stolen, all: add(cpu), ours: add(own) };
}

/** Shares of the machine, 0 to 1, that the measurement did not have. */
export interface Missing {
  /** Went to programs which have nothing to do with the measurement. */
  readonly others: number;
  /** Was kept back by the host of a virtual machine while a process here could have run. */
  readonly stolen: number;
}

/**
 * Each share by itself: what interrupts take is in part charged to the measured processes, so the first one can come out
 * below nothing, and must not hide the second.
 */
export function missingShares(before: MachineTimes, after: MachineTimes, measuredUs: number): Missing {
  const measuredTicks = measuredUs / 10_000;
  const all = after.all - before.all;
  const foreign = after.busy - before.busy - (after.ours - before.ours) - measuredTicks;
  return { others: Math.max(0, foreign / all), stolen: (after.stolen - before.stolen) / all };
}
