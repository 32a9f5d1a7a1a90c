import { readFileSync } from 'node:fs';
import { sum } from './figures.ts';

/** CPU ticks since boot: of the machine, and of this process with its awaited children. */
export interface MachineTimes {
  readonly busy: number;
  readonly stolen: number;
  readonly all: number;
  readonly ours: number;
}

/**
 * Reads the CPU ticks of the machine. Interrupts are in neither `busy` nor `ours`: they deliver loopback traffic, and kernels
 * charge them to different processes.
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
  return { busy: user + nice + system, stolen, all: sum(cpu), ours: sum(own) };
}

/** Shares of the machine, 0 to 1, that were not available to the measurement. */
export interface UnavailableShares {
  /** Used by unrelated programs. */
  readonly others: number;
  /** Withheld by the host of a virtual machine while a process here was ready to run. */
  readonly stolen: number;
}

/**
 * The shares are separate, because interrupts are partly charged to the measured processes: the first share can be
 * negative, and must not hide the second.
 */
export function unavailableShares(before: MachineTimes, after: MachineTimes, measuredUs: number): UnavailableShares {
  const measuredTicks = measuredUs / 10_000;
  const all = after.all - before.all;
  const foreign = after.busy - before.busy - (after.ours - before.ours) - measuredTicks;
  return { others: Math.max(0, foreign / all), stolen: (after.stolen - before.stolen) / all };
}
