// The end of `.ci/run`: node test/support/ci/summary.ts 'npm run lint=0' 'npm test=0,/tmp/report.json' ...
// Prints a line for each step that failed, for everything that was skipped and for what passed at the second attempt only, then
// the sum; exits with 1 when anything failed.

import { readFileSync } from 'node:fs';
import { totalOfStep, describeTotals, type Report, type Step, flakyIn, skippedIn, totalOf } from './totals.ts';

const steps = process.argv.slice(2).map(stepOf);
for (const step of steps) {
  const count = totalOfStep(step);
  if (count.failed > 0) say(`${step.name}: ${'report' in step ? describeTotals(count) : 'failed'}`);
}
for (const name of steps.flatMap(skippedIn)) say(`skipped: ${name}`);
for (const name of steps.flatMap(flakyIn)) say(`passed at the second attempt only: ${name}`);
const sum = totalOf(steps);
say(describeTotals(sum));
process.exitCode = steps.length > 0 && sum.failed === 0 ? 0 : 1;

/** `name=exit code`, and behind a comma the file of vitest's report where the step runs tests. */
function stepOf(given: string): Step {
  const [, name, exitCode, , file] = /^(.+?)=(\d+)(,(.+))?$/.exec(given) ?? [];
  if (name === undefined) throw new Error(`"${given}" is not <name>=<exit code>[,<report>]`);
  const step = { name, exitCode: Number(exitCode) };
  return file === undefined ? step : { ...step, report: reportIn(file) };
}

function reportIn(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
