import { expect, test } from 'vitest';
import { expectKinds } from '../../test/histories/forged/expectKinds.ts';
import { readRows, removeWitnesses, writeRows } from '../../test/histories/forged/forgedFiles.ts';
import { BY_CHECKPOINT, forgeries } from '../../test/histories/forged/forgeries.ts';
import { aFolder, copyOf, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { publish, vkeyOf } from '../../test/histories/forged/publishedCheckpoints.ts';
import { createRandom } from '../../test/support/random.ts';
import { thoroughness } from '../../test/support/runs.ts';
import { verifyFolder } from './verifyFolder.ts';

// SVC_TEST_RUNS=20 forges with sixty seeds.
const SEEDS = Array.from({ length: Math.ceil(3 * thoroughness) }, (_, index) => index + 1);
const threads = 1;

test.each(SEEDS)('finds every forgery in a data folder by its kind (seed %i)', { timeout: 120_000 }, async (seed) => {
  const honest = await honestFolder(seed);
  expect(await verifyFolder({ folder: honest, threads })).toMatchObject({ ok: true, notes: [] });
  const rows = readRows(honest);
  const [checkpoints, publicKey] = [await aFolder(), vkeyOf(rows)];
  publish(rows, checkpoints, [1, 40, 77, 128, rows.length]);
  const vouched = await verifyFolder({ folder: honest, threads, checkpoints, publicKey });
  expect(vouched).toMatchObject({ ok: true, notes: [expect.stringContaining(publicKey.vkey)] });
  for (const forgery of forgeries) {
    const folder = await copyOf(honest);
    writeRows(folder, forgery.forge(readRows(folder), createRandom(seed)));
    expectKinds(await verifyFolder({ folder, threads }), forgery.inFolder, forgery.name);
    removeWitnesses(folder, 'tree.sqlite');
    expectKinds(await verifyFolder({ folder, threads }), forgery.besideTree, `${forgery.name}, beside its tree`);
    removeWitnesses(folder);
    expectKinds(await verifyFolder({ folder, threads }), forgery.alone, `${forgery.name}, without witnesses`);
    const byCheckpoint = forgery.alone.length > 0 ? forgery.alone : BY_CHECKPOINT;
    const published = await verifyFolder({ folder, threads, checkpoints, publicKey });
    expectKinds(published, byCheckpoint, `${forgery.name}, against checkpoints`);
  }
});
