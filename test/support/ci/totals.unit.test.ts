import { expect, test } from 'vitest';
import { describeTotals, type Report, type Step, flakyIn, skippedIn, totalOf } from './totals.ts';

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

test('the tests of all commands are added up; steps without tests add nothing when they end well', () =>
  expect(
    line(
      { name: 'lint', exitCode: 0 },
      tests(0, file('passed', 'passed', 'passed'), file('passed', 'passed')),
      tests(1, file('failed', 'passed', 'failed'), file('failed', 'failed')),
    ),
  ).toBe('4 passed, 2 failed'));

test('tests that were skipped or are still to be written are named when there are any', () =>
  expect(line(tests(0, file('passed', 'passed', 'skipped', 'pending', 'todo')))).toBe('1 passed, 0 failed, 3 skipped'));

test('a lint or type error is one failure', () =>
  expect(line({ name: 'lint', exitCode: 1 }, { name: 'typecheck', exitCode: 2 })).toBe('0 passed, 2 failed'));

test('a command that died without a report is one failure, whatever its exit code says', () => {
  expect(line({ name: 'npm test', exitCode: 137, report: undefined })).toBe('0 passed, 1 failed');
  expect(line({ name: 'npm test', exitCode: 0, report: undefined })).toBe('0 passed, 1 failed');
});

test('a command that ended badly although its tests passed is one failure', () =>
  expect(line(tests(1, file('passed', 'passed')))).toBe('1 passed, 1 failed'));

test('a file that could not be loaded, or whose hook failed, is one failure', () => {
  expect(line(tests(1, file('failed'), file('passed', 'passed')))).toBe('1 passed, 1 failed');
  expect(line(tests(1, file('failed', 'skipped', 'skipped')))).toBe('0 passed, 1 failed, 2 skipped');
});

test('what was skipped is told by name: a whole suite once, of others each test', () => {
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

test('what passed at the second attempt only is told by name, with what was wrong at the first', () => {
  const assertionResults = [
    { status: 'passed', title: 'calm', ancestorTitles: [], failureMessages: [] },
    { status: 'passed', title: 'shaky', ancestorTitles: ['pages'], failureMessages: ['Error: too late\n  at x'] },
    { status: 'failed', title: 'broken', ancestorTitles: [], failureMessages: ['Error: wrong'] },
  ];
  const report = { testResults: [{ name: 'some.test.ts', status: 'failed', assertionResults }] };
  expect(flakyIn({ name: 'npm test', exitCode: 1, report })).toEqual(['pages > shaky: Error: too late']);
});
