import { expect, test } from 'vitest';
import { anEvent } from '../../test/contract/events.ts';
import { scriptedLog } from '../../test/contract/scriptedLog.ts';
import { Faults } from '../lib/faults.ts';
import { type AppendOutcome, ID_TAKEN, NO_STREAM } from './eventLog.ts';
import { reportRejectedAppends } from './reportRejectedAppends.ts';

const rejected = (reason: string): AppendOutcome => ({ kind: 'rejected', reason });

/** Makes one append for each outcome, one after the other. @returns the lines that the operator sees */
async function linesAfter(...outcomes: ('written' | AppendOutcome)[]): Promise<string[]> {
  const lines: string[] = [];
  const remaining = [...outcomes];
  const { log } = scriptedLog(() => remaining.shift() ?? 'written');
  const print = (line: string) => void lines.push(line);
  const faults = new Faults({ print, now: () => 0 });
  const reported = reportRejectedAppends(log, { print, faults, subject: 'log.sqlite' });
  for (const [index, expected] of outcomes.entries()) {
    const outcome = await reported.append(`stream-${index}`, NO_STREAM, [anEvent()]);
    expect(outcome.kind).toBe(expected === 'written' ? 'committed' : expected.kind);
  }
  return lines;
}

test('reports a full disk once, and the recovery once', async () => {
  const full = rejected('the log cannot be written: database or disk is full');
  expect(await linesAfter('written', full, full, full, 'written', 'written')).toEqual([
    expect.stringContaining(
      'The event log (log.sqlite) refuses events: the log cannot be written: database or disk is full.',
    ),
    'The event log accepts events again.',
  ]);
});

test('reports the recovery that a probe finds', async () => {
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => void lines.push(line), now: () => 0 });
  let isFull = true;
  const { log } = scriptedLog(() => rejected('disk is full'));
  const probe = async () => {
    if (isFull) throw new Error('disk is full');
  };
  const reported = reportRejectedAppends(Object.assign(log, { probe }), {
    print: (line) => void lines.push(line),
    faults,
    subject: 'log.sqlite',
  });
  await reported.append('stream', NO_STREAM, [anEvent()]);
  await expect(reported.probe()).rejects.toThrow('disk is full');
  expect(faults.current).toHaveLength(1);
  isFull = false;
  await reported.probe();
  expect(faults.current).toEqual([]);
  expect(lines.at(-1)).toBe('The event log accepts events again.');
});

test('says what to do when the outcome does', async () => {
  const remedy = 'Make room on its disk.';
  expect(await linesAfter({ ...rejected('disk is full'), remedy } as AppendOutcome)).toEqual([
    expect.stringMatching(/disk is full\. .* 503 log_unavailable\. Make room on its disk\.$/),
  ]);
});

test('does not say a second reason while the first lasts', async () => {
  const lines = await linesAfter(
    rejected('disk is full'),
    rejected('disk is slow'),
    'written',
    rejected('disk is full'),
  );
  expect(lines.map((line) => /disk is full|disk is slow|again/.exec(line)?.[0])).toEqual([
    'disk is full',
    'again',
    'disk is full',
  ]);
});

test('does not call the log unavailable when an append is itself at fault', async () => {
  const tooLarge: AppendOutcome = { kind: 'rejected', reason: 'it has 70,000 bytes', isLogFine: true };
  expect(await linesAfter('written', tooLarge, tooLarge, 'written')).toEqual([
    'An append to stream-1 was refused, and nothing of it was written: it has 70,000 bytes.',
  ]);
});

test('does not report conflicts, unknown outcomes or ids already in use', async () => {
  expect(
    await linesAfter(
      { kind: 'conflict', actualRevision: 3 },
      { kind: 'unknown', error: new Error('late') },
      rejected(ID_TAKEN),
      'written',
    ),
  ).toEqual([]);
});
