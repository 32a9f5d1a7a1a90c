import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { copyOf, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { rowsIn } from '../../test/support/archives/archivableLog.ts';
import { archiveFolder, withArchiveHost } from '../../test/support/archives/archiveFolder.ts';
import { createRandom } from '../../test/support/random.ts';
import { position } from '../domain/core/brands.ts';
import { sealsInLog } from '../eventLog/sqlite/sealsInLog.ts';
import { emptyFold } from '../state/fold/fold.ts';
import { foldFile } from '../state/pages/foldFile.ts';
import { canonicalText } from '../state/snapshots/canonicalText.ts';
import { firstFold } from '../state/snapshots/sealedFold.ts';
import { verifyFolder } from '../verification/verifyFolder.ts';
import { restoreDay } from './restoreDay.ts';

const KILLS = 12;
const CHILD = fileURLToPath(new URL('../../test/support/archives/archiveChild.ts', import.meta.url));

/** Archives a folder in a process that is killed after a time. @returns whether it had ended before */
async function archiveAndKill(folder: string, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [CHILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  // Begins when its modules are loaded.
  await Promise.race([once(child.stdout, 'data'), exited]);
  await Promise.race([delay(afterMs), exited]);
  const isEnded = child.exitCode !== null;
  child.kill('SIGKILL');
  await exited;
  return isEnded;
}

async function foldedState(folder: string): Promise<string> {
  const path = join(folder, 'log.sqlite');
  const fold = firstFold(path);
  await foldFile(fold, path, position(rowsIn(path).at(-1)?.position ?? 0));
  const { position: _, ...state } = fold.state.data();
  return canonicalText(state);
}

test('loses nothing and archives nothing twice when it is killed at any moment', { timeout: 120_000 }, async () => {
  const random = createRandom(Date.now());
  const honest = await honestFolder(9);
  const path = join(honest, 'log.sqlite');
  const before = rowsIn(path);
  const whole = emptyFold();
  await foldFile(whole, path, position(before.at(-1)?.position ?? 0));
  const { position: _, ...state } = whole.state.data();
  const expected = canonicalText(state);
  let kills = 0;
  for (let attempt = 0; attempt < KILLS; attempt += 1) {
    const folder = await copyOf(honest);
    if (!(await archiveAndKill(folder, random.between(0, 40)))) kills += 1;
    expect(await foldedState(folder)).toBe(expected);
    expect(await verifyFolder({ folder, threads: 1 })).toMatchObject({ findings: [] });
    await archiveFolder(folder);
    expect(sealsInLog(join(folder, 'log.sqlite')).size).toBe(1);
    expect(await foldedState(folder)).toBe(expected);
    expect(rowsIn(join(folder, 'log.sqlite')).filter(({ stream }) => stream.startsWith('requests-'))).toEqual([]);
    await withArchiveHost(folder, (host) => restoreDay({ host, folder: join(folder, 'archives'), what: '2026-01-01' }));
    expect(rowsIn(join(folder, 'log.sqlite')).slice(0, before.length)).toEqual(before);
  }
  expect(kills).toBeGreaterThan(0);
});
