import { Faults } from '../../src/lib/faults.ts';

/** Faults whose lines are collected. */
export const collectFaults = (lines: string[] = []): Faults =>
  new Faults({ print: (line) => void lines.push(line), now: Date.now });
