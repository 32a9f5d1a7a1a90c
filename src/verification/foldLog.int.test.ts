import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fillDays } from '../../bench/archive/fillDays.ts';
import { temporaryFolder } from '../../test/support/management.ts';
import { foldLog } from './foldLog.ts';

test('keeps no earlier state of a log of thousands of events in memory', async () => {
  const folder = temporaryFolder();
  const log = join(folder, 'log.sqlite');
  fillDays(log, { requests: 2_500, days: 1, now: Date.UTC(2026, 0, 2), print: () => undefined });
  const { state, checkpoints } = await foldLog(log, join(folder, 'archive.sqlite'), 2_500);
  expect(state.position).toBe(2_500);
  expect(checkpoints.parts.kept).toEqual([]);
});
