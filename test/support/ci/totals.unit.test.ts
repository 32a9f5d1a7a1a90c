import { expect, test } from 'vitest';
import { describeTotals, flakyIn, type Report, type Step, skippedIn, totalOf } from './totals.ts';

const file = (status: string, ...tests: string[]): Report['testResults'][number] => ({
  name: 'some.test.ts',
  status,
  assertionResults: tests.map((test) => ({ status: test, title: 'a test', ancestorTitles: [] })),
});
const tests = (exitCode: number, ...files: Report['testResults'][number][]): Step => ({
  name: 'npm test',
  exitCode,
  report: { testResults: files },
});
const line = (...steps: Step[]) => describeTotals(totalOf(steps));

test('adds up the tests of all steps; a step without tests adds nothing when it succeeds', () =>
  expect(
    line(
      { name: 'lint', exitCode: 0 },
      tests(0, file('passed', 'passed', 'passed'), file('passed', 'passed')),
      tests(1, file('failed', 'passed', 'failed'), file('failed', 'failed')),
    ),
  ).toBe('4 passed, 2 failed'));

test('counts skipped, pending and todo tests as skipped', () =>
  expect(line(tests(0, file('passed', 'passed', 'skipped', 'pending', 'todo')))).toBe('1 passed, 0 failed, 3 skipped'));

test('counts a failed step without tests as one failure', () =>
  expect(line({ name: 'lint', exitCode: 1 }, { name: 'typecheck', exitCode: 2 })).toBe('0 passed, 2 failed'));

test('counts a step without a report as one failure, whatever its exit code', () => {
  expect(line({ name: 'npm test', exitCode: 137, report: undefined })).toBe('0 passed, 1 failed');
  expect(line({ name: 'npm test', exitCode: 0, report: undefined })).toBe('0 passed, 1 failed');
});

test('counts a step that failed although its tests passed as one failure', () =>
  expect(line(tests(1, file('passed', 'passed')))).toBe('1 passed, 1 failed'));

test('counts a file that could not be loaded, or whose hook failed, as one failure', () => {
  expect(line(tests(1, file('failed'), file('passed', 'passed')))).toBe('1 passed, 1 failed');
  expect(line(tests(1, file('failed', 'skipped', 'skipped')))).toBe('0 passed, 1 failed, 2 skipped');
});

test('names a suite of skipped tests once, and skipped tests of other suites one by one', () => {
  const result = (status: string, title: string, ...ancestorTitles: string[]) => ({ status, title, ancestorTitles });
  const assertionResults = [
    result('skipped', 'one', 'MongoDB: no server', 'pages'),
    result('skipped', 'two', 'MongoDB: no server', 'search'),
    result('passed', 'three', 'SQLite', 'pages'),
    result('skipped', 'four', 'SQLite', 'pages'),
    result('skipped', 'five', 'SQLite', 'search'),
    result('todo', 'six'),
  ];
  const report = { testResults: [{ name: 'some.test.ts', status: 'passed', assertionResults }] };
  expect(skippedIn({ name: 'npm test', exitCode: 0, report })).toEqual([
    'MongoDB: no server',
    'SQLite > pages > four',
    'SQLite > search',
    'six',
  ]);
  expect(skippedIn({ name: 'lint', exitCode: 0 })).toEqual([]);
});

test('names tests that passed on a retry, with the first failure', () => {
  const assertionResults = [
    { status: 'passed', title: 'stable', ancestorTitles: [], failureMessages: [] },
    { status: 'passed', title: 'flaky', ancestorTitles: ['pages'], failureMessages: ['Error: too late\n  at x'] },
    { status: 'failed', title: 'broken', ancestorTitles: [], failureMessages: ['Error: wrong'] },
  ];
  const report = { testResults: [{ name: 'some.test.ts', status: 'failed', assertionResults }] };
  expect(flakyIn({ name: 'npm test', exitCode: 1, report })).toEqual(['pages > flaky: Error: too late']);
});
