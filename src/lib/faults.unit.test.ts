import { expect, test, vi } from 'vitest';
import { Faults } from './faults.ts';

function createFaults(maxPerCode?: number) {
  const lines: string[] = [];
  const clock = { now: 1_000 };
  const faults = new Faults({
    print: (line) => lines.push(line),
    now: () => clock.now,
    ...(maxPerCode !== undefined && { maxPerCode }),
  });
  return { faults, lines, clock };
}

const disk = { code: 'disk_full', cause: 'The disk is full.', remedy: 'Make room; svc goes on by itself.' };

test('says a fault once, however often it is noticed, and keeps since when it lasts', () => {
  const { faults, lines, clock } = createFaults();
  faults.raise(disk);
  clock.now += 5_000;
  faults.raise({ ...disk, cause: 'The disk is full: 7 events wait.' });
  expect(lines).toEqual(['The disk is full. Make room; svc goes on by itself.']);
  expect(faults.current).toEqual([{ ...disk, cause: 'The disk is full: 7 events wait.', since: 1_000 }]);
});

test('says when a fault is over, and says it again when it comes back', () => {
  const { faults, lines, clock } = createFaults();
  faults.raise(disk);
  clock.now += 180_000;
  faults.clear('disk_full');
  faults.clear('disk_full');
  faults.raise(disk);
  faults.clear('disk_full', undefined, 'There is room again.');
  expect(lines.slice(1)).toEqual([
    'Over after 3 min: The disk is full.',
    'The disk is full. Make room; svc goes on by itself.',
    'There is room again.',
  ]);
  expect(faults.current).toEqual([]);
});

test('keeps faults of several subjects apart, up to a bound', () => {
  const { faults, lines, clock } = createFaults(2);
  for (const subject of ['a', 'b', 'c']) {
    clock.now += 1;
    faults.raise({ code: 'stream_gone', subject, cause: `Stream ${subject} is gone.`, remedy: 'Restore it.' });
  }
  expect(faults.current.map(({ subject }) => subject)).toEqual(['a', 'b']);
  faults.clear('stream_gone', 'a');
  expect(faults.current.map(({ subject }) => subject)).toEqual(['b']);
  expect(lines).toHaveLength(4);
});

test('ends a fault that was not noticed again for its time', () => {
  vi.useFakeTimers();
  const { faults, lines } = createFaults();
  faults.raise(disk, { overAfterMs: 60_000 });
  vi.advanceTimersByTime(59_000);
  faults.raise(disk, { overAfterMs: 60_000 });
  vi.advanceTimersByTime(59_000);
  expect(faults.has('disk_full')).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(faults.current).toEqual([]);
  expect(lines).toHaveLength(2);
  vi.useRealTimers();
});

test('names the cause of its lines', () => {
  const details: unknown[] = [];
  const faults = new Faults({ print: (_, given) => details.push(given), now: () => 0 });
  faults.raise({ ...disk, subject: 'a' });
  faults.clear('disk_full', 'a');
  expect(details).toEqual([
    { level: 'error', code: 'disk_full', subject: 'a' },
    { code: 'disk_full', subject: 'a', isOver: true },
  ]);
});
