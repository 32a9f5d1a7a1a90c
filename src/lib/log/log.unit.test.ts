import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createLog, type LogFormat } from './log.ts';

function start(format: LogFormat) {
  const written: string[] = [];
  const fatal: string[] = [];
  const log = createLog({ format, write: (text, isFatal) => (isFatal ? fatal : written).push(text), now: () => 0 });
  return { ...log, written, fatal };
}

const HOSTILE = fc.oneof(
  fc.constantFrom(...'\n\r\u001b\b\u007f\u0085\u009b\u2028\u2029\u202e\u2066\u200b\ufeff\ud800"\\[]= %', '\u{e0041}'),
  fc.string({ unit: 'binary', maxLength: 1 }),
);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

test('writes time, level, message and fields in a line of text', () => {
  const { print, written } = start('text');
  print('svc is listening on http://127.0.0.1:2455');
  print('The account is deactivated. Sign in again.', { level: 'warn', code: 'account_deactivated', subject: 'acc 1' });
  expect(written[0]).toMatch(TIME);
  expect(written.map((line) => line.replace(TIME, 'TIME'))).toEqual([
    'TIME info  svc is listening on http://127.0.0.1:2455\n',
    'TIME warn  The account is deactivated. Sign in again. [code=account_deactivated subject="acc 1"]\n',
  ]);
});

test('writes a line of JSON with the same fields', () => {
  const { print, written } = start('json');
  print('The disk is full.', {
    level: 'error',
    code: 'log_refuses_events',
    subject: 'data/log.sqlite',
    request: 'req_1',
  });
  print('The disk has room.', { code: 'log_refuses_events', subject: 'data/log.sqlite', isOver: true });
  const [begin, end] = written.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(begin).toEqual({
    level: 'error',
    time: expect.stringMatching(TIME),
    code: 'log_refuses_events',
    subject: 'data/log.sqlite',
    request: 'req_1',
    msg: 'The disk is full.',
  });
  expect(end).toMatchObject({ level: 'info', over: true });
});

test.each(['text', 'json'] as const)('writes one line of %s for any text from outside', (format) => {
  const written: string[] = [];
  let now = 0;
  const { print } = createLog({ format, write: (text) => written.push(text), now: () => (now += 60_000) });
  fc.assert(
    fc.property(fc.string({ unit: HOSTILE }), fc.string({ unit: HOSTILE }), (message, subject) => {
      print(message, { level: 'warn', code: 'c', subject });
      const lines = written.splice(0);
      expect(lines).toHaveLength(1);
      expect(lines[0]?.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      if (format === 'json') expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: message, subject });
    }),
  );
});

test('does not read a message as a format', () => {
  const { print, written } = start('text');
  print('100 %s of %d %o', { level: 'warn' });
  expect(written[0]).toContain('100 %s of %d %o');
});

test('writes a stack in one line and cuts a very long message or subject', () => {
  const { print, written } = start('text');
  print('TypeError: no\n    at one (a.ts:1:2)\n    at two (b.ts:3:4)', { level: 'error' });
  print('x'.repeat(5_000), { level: 'error', code: 'c', subject: 'y'.repeat(600) });
  expect(written[0]).toContain('TypeError: no | at one (a.ts:1:2) | at two (b.ts:3:4)');
  expect(written[1]).toMatch(
    /x{4000} \.\.\. \(1000 more characters\) \[code=c subject="y{500} \.\.\. \(100 more characters\)"\]\n$/,
  );
});

test('writes why the process ends to the other output', () => {
  const { print, written, fatal } = start('json');
  print('SVC_PORT: must be a number', { level: 'fatal' });
  expect([written, fatal.length]).toEqual([[], 1]);
});

test('counts the lines of a cause that were not written in its next one', () => {
  vi.useFakeTimers();
  let now = 0;
  const written: string[] = [];
  const { print } = createLog({ format: 'json', write: (text) => written.push(text), now: () => now });
  for (let count = 0; count < 5; count += 1) print(`refused ${count}`, { level: 'warn', code: 'throttled' });
  expect(written).toHaveLength(1);
  now = 60_000;
  vi.advanceTimersByTime(60_000);
  expect(written.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'refused 0' },
    { msg: 'refused 4', suppressed: 3 },
  ]);
  vi.useRealTimers();
});
