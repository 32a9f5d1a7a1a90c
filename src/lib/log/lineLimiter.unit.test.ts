import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Line } from './line.ts';
import { LineLimiter } from './lineLimiter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const line = (message: string, details: Partial<Line> = {}): Line => ({
  level: 'error',
  code: 'disk_full',
  message,
  ...details,
});
const over = (message: string): Line => line(message, { level: 'info', isOver: true });

function start(maxSubjects?: number) {
  const written: string[] = [];
  const limiter = new LineLimiter({
    write: ({ message }, suppressed) => written.push(suppressed > 0 ? `${message} +${suppressed}` : message),
    now: () => Date.now(),
    ...(maxSubjects !== undefined && { maxSubjects }),
  });
  return {
    limiter,
    written,
    submit: (given: Line) => limiter.submit(given),
    wait: (ms: number) => vi.advanceTimersByTime(ms),
  };
}

test('writes the first line of a cause at once and the last one of its minute later', () => {
  const { submit, written, wait } = start();
  for (let count = 1; count <= 100; count += 1) submit(line(`${count}`));
  expect(written).toEqual(['1']);
  wait(59_999);
  expect(written).toEqual(['1']);
  wait(1);
  expect(written).toEqual(['1', '100 +98']);
  wait(600_000);
  expect(written).toHaveLength(2);
});

test('writes a line of a quiet cause at once', () => {
  const { submit, written, wait } = start();
  submit(line('1'));
  wait(60_000);
  submit(line('2'));
  expect(written).toEqual(['1', '2']);
});

test('keeps causes and their subjects apart', () => {
  const { submit, written } = start();
  submit(line('a', { subject: 'a' }));
  submit(line('b', { subject: 'b' }));
  submit(line('c', { code: 'other' }));
  expect(written).toEqual(['a', 'b', 'c']);
});

test('ends with how it is when a cause comes and goes', () => {
  const { submit, written, wait } = start();
  for (let count = 1; count <= 3; count += 1) {
    submit(line(`full ${count}`));
    submit(over(`over ${count}`));
  }
  expect(written).toEqual(['full 1', 'over 1']);
  submit(line('full 4'));
  wait(60_000);
  expect(written).toEqual(['full 1', 'over 1', 'full 4 +4']);
  submit(over('over 4'));
  expect(written.at(-1)).toBe('over 4');
  wait(600_000);
  expect(written).toHaveLength(4);
});

test('writes at most two lines a minute of a cause that comes and goes', () => {
  const { submit, written, wait } = start();
  for (let count = 0; count < 6_000; count += 1) {
    submit(count % 2 === 0 ? line('full') : over('over'));
    wait(100);
  }
  expect(written.length).toBeLessThanOrEqual(22);
});

test('limits lines without a code by their message, whatever numbers it names', () => {
  const { submit, written } = start();
  for (let count = 0; count < 10; count += 1) submit({ level: 'warn', message: `request ${count} failed` });
  submit({ level: 'warn', message: 'something else failed' });
  expect(written).toEqual(['request 0 failed', 'something else failed']);
});

test('holds back nothing that svc says about itself', () => {
  const { submit, written } = start();
  submit({ level: 'info', message: 'read 1 event' });
  submit({ level: 'info', message: 'read 2 events' });
  submit({ level: 'fatal', message: 'SVC_PORT' });
  submit({ level: 'fatal', message: 'SVC_PORT' });
  expect(written).toHaveLength(4);
});

test('tells only so many subjects of a code apart in a minute', () => {
  const { submit, written, wait } = start(10);
  for (let count = 0; count < 1_000; count += 1) submit(line(`${count}`, { subject: `${count}` }));
  expect(written).toHaveLength(11);
  wait(60_000);
  expect(written.at(-1)).toBe('999 +988');
  wait(60_000);
  submit(line('again', { subject: 'new' }));
  expect(written.at(-1)).toBe('again');
});

test('writes few lines of very many messages', () => {
  const { submit, written, wait } = start();
  for (let count = 0; count < 10_000; count += 1)
    submit({ level: 'warn', message: `failed ${String.fromCodePoint(0x4e00 + count)}` });
  expect(written.length).toBeLessThan(250);
  wait(60_000);
  expect(written.length).toBeLessThan(250);
});

test('writes at the end what it holds back', () => {
  const { limiter, submit, written } = start();
  submit(line('1'));
  submit(line('2'));
  limiter.flush();
  expect(written).toEqual(['1', '2']);
});
