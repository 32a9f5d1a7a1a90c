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

/** Share of the machine, 0 to 1, that went to programs which have nothing to do with the measurement. */
export function othersShare(before: MachineTimes, after: MachineTimes, measuredUs: number): number {
  const measuredTicks = measuredUs / 10_000;
  const foreign =
    after.busy - before.busy - (after.ours - before.ours) - measuredTicks + (after.stolen - before.stolen);
  return Math.max(0, foreign / (after.all - before.all));
}
