import { expect, test } from 'vitest';
import { collectFaults } from '../../../test/support/collectFaults.ts';
import { markFaults } from './markFaults.ts';

test('says once that a mark cannot be written, what it costs and what to do, and once that it is over', () => {
  const lines: string[] = [];
  const faults = collectFaults(lines);
  const onMarkFailure = markFaults(faults, '/data/log.mark');
  for (let turn = 0; turn < 3; turn += 1) onMarkFailure('ENOSPC: no space left on device, write');
  expect(faults.current).toEqual([
    expect.objectContaining({ code: 'high_water_mark_stale', subject: '/data/log.mark' }),
  ]);
  onMarkFailure(undefined);
  expect(faults.current).toEqual([]);
  expect(lines).toEqual([
    expect.stringMatching(
      /^\/data\/log\.mark cannot be written \(ENOSPC.* would not be noticed .* svc retries by itself\.$/,
    ),
    expect.stringMatching(/^Over after 0 s/),
  ]);
});
