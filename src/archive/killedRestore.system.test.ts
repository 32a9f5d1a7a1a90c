import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { fillDays } from '../../bench/archive/fillDays.ts';
import { aFolder, copyOf } from '../../test/histories/forged/honestLog.ts';
import { rowsIn } from '../../test/support/archives/archivableLog.ts';
import { archiveFolder, withArchiveHost } from '../../test/support/archives/archiveFolder.ts';
import { createRandom } from '../../test/support/random.ts';
import { position } from '../domain/core/brands.ts';
import { sealsInLog } from '../eventLog/sqlite/sealsInLog.ts';
import { emptyFold, type Fold } from '../state/fold/fold.ts';
import { foldFile } from '../state/pages/foldFile.ts';
import { canonicalText } from '../state/snapshots/canonicalText.ts';
import { firstFold } from '../state/snapshots/sealedFold.ts';
import { verifyFolder } from '../verification/verifyFolder.ts';
import { restoreDay } from './restoreDay.ts';

const KILLS = 12;
/** Six transactions of rows. */
const REQUESTS = 3_000;
const NOW = Date.UTC(2026, 0, 2);
const DAY = '2026-01-01';
const CHILD = fileURLToPath(new URL('../../test/support/archives/restoreChild.ts', import.meta.url));

/** Restores the day in a process that is killed after a time. @returns whether it had ended before, and how long it ran */
async function restoreAndKill(folder: string, afterMs: number): Promise<{ isEnded: boolean; tookMs: number }> {
  const child = spawn(process.execPath, [CHILD, folder, DAY], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  // Begins when its modules are loaded.
  await Promise.race([once(child.stdout, 'data'), exited]);
  const begun = performance.now();
  await Promise.race([delay(afterMs), exited]);
  const tookMs = performance.now() - begun;
  const isEnded = child.exitCode !== null;
  child.kill('SIGKILL');
  await exited;
  return { isEnded, tookMs };
}

async function foldedState(folder: string, from: (path: string) => Fold = firstFold): Promise<string> {
  const path = join(folder, 'log.sqlite');
  const fold = from(path);
  await foldFile(fold, path, position(rowsIn(path).at(-1)?.position ?? 0));
  const { position: _, ...state } = fold.state.data();
  return canonicalText(state);
}

const requestsIn = (folder: string) =>
  rowsIn(join(folder, 'log.sqlite')).filter(({ stream }) => stream.startsWith('requests-'));

test('restores all of a day or none of it for readers, whenever it is killed', { timeout: 300_000 }, async () => {
  const random = createRandom(Date.now());
  const archived = await aFolder();
  fillDays(join(archived, 'log.sqlite'), { requests: REQUESTS, days: 1, now: NOW, print: () => undefined });
  const rows = requestsIn(archived);
  const expected = await foldedState(archived, () => emptyFold());
  await archiveFolder(archived);
  expect(requestsIn(archived)).toEqual([]);
  const places = new Set<string>();
  // How long it takes depends on the machine: the kills are spread over a little more than that.
  const { tookMs } = await restoreAndKill(await copyOf(archived), 60_000);
  for (let attempt = 0; attempt < KILLS; attempt += 1) {
    const folder = await copyOf(archived);
    const path = join(folder, 'log.sqlite');
    const { isEnded } = await restoreAndKill(folder, random.between(0, 1.1 * tookMs));
    const back = requestsIn(folder).length;
    const isArchived = sealsInLog(path).size === 1;
    places.add(isEnded ? 'ended' : `${back > 0} ${back === REQUESTS} ${isArchived}`);
    expect(await foldedState(folder)).toBe(expected);
    expect(await verifyFolder({ folder, threads: 1 })).toMatchObject({ ok: true, findings: [] });
    // Either way on: the restore is finished, or the day is archived again.
    if (isArchived && attempt % 2 === 0) {
      await withArchiveHost(folder, (host) => restoreDay({ host, folder: join(folder, 'archives'), what: DAY }));
    }
    if (isArchived && attempt % 2 === 1) {
      await archiveFolder(folder);
      expect([requestsIn(folder), sealsInLog(path).size]).toEqual([[], 1]);
    } else expect(requestsIn(folder)).toEqual(rows);
    expect(await foldedState(folder)).toBe(expected);
    expect(await verifyFolder({ folder, threads: 1 })).toMatchObject({ ok: true, findings: [] });
  }
  expect(places.size, [...places].join()).toBeGreaterThan(1);
});
