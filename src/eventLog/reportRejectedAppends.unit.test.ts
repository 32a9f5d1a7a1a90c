import { expect, test } from 'vitest';
import { anEvent } from '../../test/contract/events.ts';
import { scriptedLog } from '../../test/contract/scriptedLog.ts';
import { type AppendOutcome, ID_TAKEN, NO_STREAM } from './eventLog.ts';
import { reportRejectedAppends } from './reportRejectedAppends.ts';

const rejected = (reason: string): AppendOutcome => ({ kind: 'rejected', reason });

/** Appends that end like this, one after the other. @returns the lines that the operator sees */
async function linesOf(...fates: ('written' | AppendOutcome)[]): Promise<string[]> {
  const lines: string[] = [];
  const left = [...fates];
  const { log } = scriptedLog(() => left.shift() ?? 'written');
  const reported = reportRejectedAppends(log, { say: (line) => lines.push(line) });
  for (const [index, fate] of fates.entries()) {
    const outcome = await reported.append(`stream-${index}`, NO_STREAM, [anEvent()]);
    expect(outcome.kind).toBe(fate === 'written' ? 'committed' : fate.kind);
  }
  return lines;
}

test('a full disk is one line, however many appends it costs, and its end another', async () => {
  const full = rejected('the log cannot be written: database or disk is full');
  expect(await linesOf('written', full, full, full, 'written', 'written')).toEqual([
    expect.stringContaining('refuses events: the log cannot be written: database or disk is full.'),
    'The event log takes events again.',
  ]);
});

test('another reason is another line', async () => {
  const lines = await linesOf(
    rejected('disk is full'),
    rejected('file is damaged'),
    'written',
    rejected('disk is full'),
  );
  expect(lines.map((line) => /disk is full|file is damaged|again/.exec(line)?.[0])).toEqual([
    'disk is full',
    'file is damaged',
    'again',
    'disk is full',
  ]);
});

test('conflicts, unknown ends and ids that are taken are no trouble of the log', async () => {
  expect(
    await linesOf(
      { kind: 'conflict', actualRevision: 3 },
      { kind: 'unknown', error: new Error('late') },
      rejected(ID_TAKEN),
      'written',
    ),
  ).toEqual([]);
});
