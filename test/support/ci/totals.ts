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
    readonly assertionResults: readonly {
      readonly status: string;
      readonly title: string;
      /** The suites around the test, the outermost first. */
      readonly ancestorTitles: readonly string[];
      /** Of a test that passed: of the attempts before. */
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
 * Adds up what the steps found. Nothing may fail unseen, so a failure that no test stands for counts as one: a step that
 * ended badly although each of its tests passed, one that left no report, a file that could not be loaded.
 */
export const totalOf = (steps: readonly Step[]): Totals => steps.map(totalOfStep).reduce(add, ZERO);

export function totalOfStep(step: Step): Totals {
  const tests = step.report ? step.report.testResults.map(countOfFile).reduce(add, ZERO) : ZERO;
  const leftNoReport = 'report' in step && step.report === undefined;
  const isUnseen = (step.exitCode !== 0 || leftNoReport) && tests.failed === 0;
  return isUnseen ? { ...tests, failed: 1 } : tests;
}

/** `N passed, N failed`, and how many were skipped when there are any. */
export const describeTotals = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

const isSkipped = ({ status }: { readonly status: string }): boolean => status !== 'passed' && status !== 'failed';

/** What did not run, by name: a suite of which nothing ran stands for its tests. */
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

/** What passed at the second attempt only, by name, with the first line of what was wrong before. */
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
  // It could not be loaded, or a hook of it failed, after which vitest calls its tests skipped.
  return status === 'failed' && failed === 0 ? { passed, failed: 1, skipped } : { passed, failed, skipped };
}

const add = (a: Totals, b: Totals): Totals => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});
