import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { expectKinds } from '../../test/histories/forged/expectKinds.ts';
import { readRows, writeForgedExport } from '../../test/histories/forged/forgedFiles.ts';
import { BY_CHECKPOINT, forgeries, type LogRow } from '../../test/histories/forged/forgeries.ts';
import { aFolder, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { publish, vkeyOf } from '../../test/histories/forged/publishedCheckpoints.ts';
import { createRandom } from '../../test/support/random.ts';
import { thoroughness } from '../../test/support/runs.ts';
import { verifyExport } from './verifyExport.ts';
import { verifyFolder } from './verifyFolder.ts';
import type { CheckpointOptions } from './verifyOptions.ts';

// SVC_TEST_RUNS=20 forges with twenty seeds.
const SEEDS = Array.from({ length: Math.ceil(thoroughness) }, (_, index) => index + 1);
const threads = 1;

test.each(SEEDS)('finds every forgery in an export by its kind (seed %i)', { timeout: 120_000 }, async (seed) => {
  const honest = await honestFolder(seed);
  const rows = readRows(honest);
  const [checkpoints, publicKey] = [await aFolder(), vkeyOf(rows)];
  publish(rows, checkpoints, [1, 40, 77, 128, rows.length]);
  const forged = async (forge: (rows: LogRow[]) => LogRow[], options: CheckpointOptions = {}) => {
    const file = join(await aFolder(), 'export');
    await writeForgedExport(file, forge(readRows(honest)));
    return verifyExport(file, { ...options, threads });
  };
  expect(await forged((rows) => rows)).toMatchObject({ ok: true, findings: [], events: readRows(honest).length });
  for (const { name, forge, alone } of forgeries) {
    // An export has one spelling.
    if (name.startsWith('respells')) continue;
    expectKinds(await forged((rows) => forge(rows, createRandom(seed))), alone, name);
    const byCheckpoint = alone.length > 0 ? alone : BY_CHECKPOINT;
    const published = await forged((rows) => forge(rows, createRandom(seed)), { checkpoints, publicKey });
    expectKinds(published, byCheckpoint, `${name}, against checkpoints`);
  }
});

test('finds a read model that was changed, and nothing before that', async () => {
  const folder = await honestFolder(1);
  const honest = await verifyFolder({ folder, threads });
  expect(honest).toMatchObject({ ok: true, findings: [], notes: [], events: readRows(folder).length });
  const database = new DatabaseSync(join(folder, 'readmodels.sqlite'));
  database.exec('UPDATE requestsByKind SET requests = requests + 1');
  database.close();
  const { findings } = await verifyFolder({ folder, threads });
  expect(findings[0]).toMatchObject({ kind: 'edited', stream: 'readmodels.sqlite', position: null });
});
