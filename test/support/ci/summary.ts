// Last command of `.ci/run`: node test/support/ci/summary.ts 'npm run lint=0' 'npm test=0,/tmp/report.json' ...
// Prints a line for each failed step, each skipped test or suite and each test that passed on a retry, then the totals.
// Exits with 1 when anything failed.

import { readFileSync } from 'node:fs';
import { describeTotals, flakyIn, type Report, type Step, skippedIn, totalOf, totalOfStep } from './totals.ts';

const steps = process.argv.slice(2).map(stepOf);
for (const step of steps) {
  const count = totalOfStep(step);
  if (count.failed > 0) print(`${step.name}: ${'report' in step ? describeTotals(count) : 'failed'}`);
}
for (const name of steps.flatMap(skippedIn)) print(`skipped: ${name}`);
for (const name of steps.flatMap(flakyIn)) print(`passed on retry: ${name}`);
const totals = totalOf(steps);
print(describeTotals(totals));
process.exitCode = steps.length > 0 && totals.failed === 0 ? 0 : 1;

/** Parses `name=exit code`, followed by a comma and the file of vitest's report when the step runs tests. */
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

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
