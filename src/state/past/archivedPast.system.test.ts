import { expect, test } from 'vitest';
import { archivableLog, rowsIn } from '../../../test/support/archives/archivableLog.ts';
import { instant, position } from '../../domain/core/brands.ts';
import { startHotRunner } from '../hotRunner.ts';
import { canonicalText } from '../snapshots/canonicalText.ts';
import { firstFold } from '../snapshots/sealedFold.ts';
import { createPast, type MomentQuery } from './past.ts';

test('shows earlier states as before, or names the file in which their events are archived', async () => {
  const { log, logPath, archive } = await archivableLog(80);
  const rows = rowsIn(logPath);
  const past = async () => {
    const hot = await startHotRunner(log, () => undefined, firstFold(logPath));
    return createPast({ log, hot, logPath });
  };
  const shown = async (when: MomentQuery) => canonicalText((await (await past()).at(when)).state.accounts);
  const moments = rows.flatMap(({ position: at, time }): MomentQuery[] => [
    { position: position(at) },
    { time: instant(time) },
  ]);
  const before = await Promise.all(moments.map(shown));
  const { archived } = await archive();
  const ends = archived.map(({ upTo }) => upTo);
  const files = archived.map(({ file }) => file.name);
  let refused = 0;
  for (const [index, when] of moments.entries()) {
    const result = await shown(when).catch((error: Error) => error);
    if (!(result instanceof Error)) {
      expect(result).toBe(before[index]);
      continue;
    }
    refused += 1;
    expect(result).toMatchObject({ name: 'MomentArchived', file: expect.toBeOneOf(files) });
    expect('position' in when && ends.includes(when.position)).toBe(false);
  }
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(moments.length);
});
