/** A step of `.ci/run` and how it ended. */
export interface Step {
  readonly name: string;
  readonly exitCode: number;
  /** What vitest's JSON reporter left; undefined when it left nothing. Absent: the step runs no tests. */
  readonly report?: Report | undefined;
}

/** The part of vitest's JSON report that counts. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

export interface Sum {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const NOTHING: Sum = { passed: 0, failed: 0, skipped: 0 };

/**
 * Adds up what the steps found. Nothing may fail unseen, so a failure that no test stands for counts as one: a step that
 * ended badly although each of its tests passed, one that left no report, a file that could not be loaded.
 */
export const sumOf = (steps: readonly Step[]): Sum => steps.map(countOf).reduce(add, NOTHING);

export function countOf(step: Step): Sum {
  const tests = step.report ? step.report.testResults.map(countOfFile).reduce(add, NOTHING) : NOTHING;
  const leftNoReport = 'report' in step && step.report === undefined;
  const isUnseen = (step.exitCode !== 0 || leftNoReport) && tests.failed === 0;
  return isUnseen ? { ...tests, failed: 1 } : tests;
}

/** `N passed, N failed`, and how many were skipped when there are any. */
export const lineOf = ({ passed, failed, skipped }: Sum): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

function countOfFile({ status, assertionResults }: Report['testResults'][number]): Sum {
  const count = (wanted: string) => assertionResults.filter((test) => test.status === wanted).length;
  const passed = count('passed');
  const failed = count('failed');
  const skipped = assertionResults.length - passed - failed;
  // It could not be loaded, or a hook of it failed, after which vitest calls its tests skipped.
  return status === 'failed' && failed === 0 ? { passed, failed: 1, skipped } : { passed, failed, skipped };
}

const add = (a: Sum, b: Sum): Sum => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});
