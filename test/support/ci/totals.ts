/** A step of `.ci/run` and how it ended. */
export interface Step {
  readonly name: string;
  readonly exitCode: number;
  /** The report of vitest's JSON reporter; undefined when it wrote none. Absent when the step runs no tests. */
  readonly report?: Report | undefined;
}

/** The part of vitest's JSON report that is used here. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      /** The suites around the test, the outermost first. */
      readonly ancestorTitles: readonly string[];
      /** For a test that passed: the failures of previous attempts. */
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const ZERO: Totals = { passed: 0, failed: 0, skipped: 0 };

/**
 * Adds up the results of the steps. A failure without a failed test counts as one failed test: a step that exited with an
 * error although its tests passed, one that wrote no report, a file that could not be loaded.
 */
export const totalOf = (steps: readonly Step[]): Totals => steps.map(totalOfStep).reduce(add, ZERO);

export function totalOfStep(step: Step): Totals {
  const tests = step.report ? step.report.testResults.map(countOfFile).reduce(add, ZERO) : ZERO;
  const hasNoReport = 'report' in step && step.report === undefined;
  const isUncounted = (step.exitCode !== 0 || hasNoReport) && tests.failed === 0;
  return isUncounted ? { ...tests, failed: 1 } : tests;
}

/** `N passed, N failed`, and how many were skipped when there are any. */
export const describeTotals = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

const isSkipped = ({ status }: { readonly status: string }): boolean => status !== 'passed' && status !== 'failed';

/** Names of the skipped tests; a suite of which every test was skipped is named once. */
export function skippedIn({ report }: Step): string[] {
  return (report?.testResults ?? []).flatMap(({ assertionResults }) => {
    const ranIn = new Set(
      assertionResults.filter((test) => !isSkipped(test)).flatMap(({ ancestorTitles }) => prefixesOf(ancestorTitles)),
    );
    const names = assertionResults.filter(isSkipped).map(({ ancestorTitles, title }) => {
      const suite = prefixesOf(ancestorTitles).find((prefix) => !ranIn.has(prefix));
      return suite ?? [...ancestorTitles, title].join(SEPARATOR);
    });
    return [...new Set(names)];
  });
}

/** Names of the tests that passed on a retry, with the first line of the first failure. */
export const flakyIn = ({ report }: Step): string[] =>
  (report?.testResults ?? []).flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ status, ancestorTitles, title, failureMessages: [message] = [] }) =>
      status === 'passed' && message !== undefined
        ? [`${[...ancestorTitles, title].join(SEPARATOR)}: ${message.split('\n')[0]}`]
        : [],
    ),
  );

const SEPARATOR = ' > ';
const prefixesOf = (titles: readonly string[]) => titles.map((_, index) => titles.slice(0, index + 1).join(SEPARATOR));

function countOfFile({ status, assertionResults }: Report['testResults'][number]): Totals {
  const count = (wanted: string) => assertionResults.filter((test) => test.status === wanted).length;
  const passed = count('passed');
  const failed = count('failed');
  const skipped = assertionResults.filter(isSkipped).length;
  // The file could not be loaded, or one of its hooks failed, after which vitest reports its tests as skipped.
  return status === 'failed' && failed === 0 ? { passed, failed: 1, skipped } : { passed, failed, skipped };
}

const add = (a: Totals, b: Totals): Totals => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});
