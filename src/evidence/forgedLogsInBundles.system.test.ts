import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readRows, removeWitnesses, writeRows } from '../../test/histories/forged/forgedFiles.ts';
import { forgeries } from '../../test/histories/forged/forgeries.ts';
import { copyOf } from '../../test/histories/forged/honestLog.ts';
import { makeBundleOf, signedFolder } from '../../test/support/evidence/bundles.ts';
import { aKey, signFolder, vkeyOf } from '../../test/support/evidence/signedFolder.ts';
import { createRandom } from '../../test/support/random.ts';
import { parseVkey } from '../integrity/notes/noteKeys.ts';
import { verifyBundleFile } from './files/verifyBundleFile.ts';

vi.setConfig({ testTimeout: 300_000 });

const SEED = 1;
const trusted = parseVkey(vkeyOf(aKey(1)));
const threads = 1;

test('finds a bundle of a log that was forged in any way, signed with another key, by a key from elsewhere', async () => {
  const honest = await signedFolder(undefined, SEED);
  const intact = await makeBundleOf(honest);
  expect(await verifyBundleFile(intact.path, { trusted, threads })).toMatchObject({ ok: true, findings: [] });
  for (const { name, forge } of forgeries) {
    const folder = await copyOf(honest);
    writeRows(folder, forge(readRows(folder), createRandom(SEED)));
    removeWitnesses(folder);
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `checkpoints.sqlite${suffix}`), { force: true });
    signFolder(folder, { keys: [aKey(9)] });
    const forged = await makeBundleOf(folder);
    const { ok, findings } = await verifyBundleFile(forged.path, { trusted, threads });
    expect([ok, findings.length > 0], name).toEqual([false, true]);
  }
});
