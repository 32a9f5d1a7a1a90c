import { percent } from './numbers.ts';
import { left } from './times.ts';

export interface Pace {
  /** Percent that will be used at the reset if usage goes on as it did since the window began; can exceed 100. */
  readonly atReset: number;
  /** When nothing will remain, in ms since 1970; undefined when it lasts until the reset. */
  readonly runsOutAt: number | undefined;
}

interface Use {
  readonly usedPercent: number;
  /** Both in ms since 1970. */
  readonly startedAt: number;
  readonly resetAt: number;
}

/** Of a window that has just begun, a single request would decide. */
const FIRST_PART = 0.05;

/** Extends the usage of a window to its end. @returns undefined when it is too early to say, or nothing was used */
export function paceOf({ usedPercent, startedAt, resetAt }: Use, now: number): Pace | undefined {
  const [elapsed, length] = [now - startedAt, resetAt - startedAt];
  if (usedPercent <= 0 || now >= resetAt || elapsed < length * FIRST_PART) return undefined;
  const atReset = (usedPercent / elapsed) * length;
  if (atReset <= 100) return { atReset, runsOutAt: undefined };
  return { atReset, runsOutAt: Math.max(now, startedAt + (elapsed / usedPercent) * 100) };
}

/** "at this pace used up in 3h", "at this pace 64 % used at the reset" */
export function paceText({ atReset, runsOutAt }: Pace, now: number): string {
  if (runsOutAt === undefined) return `at this pace ${percent(atReset)} used at the reset`;
  return runsOutAt <= now ? 'used up' : `at this pace used up in ${left(runsOutAt, now)}`;
}
