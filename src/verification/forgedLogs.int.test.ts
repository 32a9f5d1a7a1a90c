import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { readRows, removeWitnesses, writeForgedExport, writeRows } from '../../test/support/forgeries/forgedFiles.ts';
import { type Forgery, forgeries } from '../../test/support/forgeries/forgeries.ts';
import { aFolder, copyOf, honestFolder } from '../../test/support/forgeries/honestLog.ts';
import { createRandom } from '../../test/support/random.ts';
import { thoroughness } from '../../test/support/runs.ts';
import type { FindingKind, Verification } from './finding.ts';
import { verifyExport } from './verifyExport.ts';
import { verifyFolder } from './verifyFolder.ts';

// SVC_TEST_RUNS=20 forges with twenty seeds.
const SEEDS = Array.from({ length: Math.ceil(thoroughness) }, (_, index) => index + 1);
const threads = 1;

/** An empty list of kinds: only a published checkpoint tells it. */
function expectKinds({ findings, ok }: Verification, kinds: readonly FindingKind[], name: string): void {
  const found = findings.map(({ kind }) => kind);
  expect(ok, name).toBe(found.length === 0);
  if (kinds.length === 0) expect(findings, `${name}: needs a published checkpoint`).toEqual([]);
  else expect(kinds, `${name}: ${JSON.stringify(findings)}`).toContain(found[0]);
}

test.each(SEEDS)('finds no fault in an honest folder and its export (seed %i)', async (seed) => {
  const folder = await honestFolder(seed);
  const verified = await verifyFolder({ folder, threads });
  expect(verified).toMatchObject({ ok: true, findings: [], notes: [], events: readRows(folder).length });
  const file = join(await aFolder(), 'export');
  await writeForgedExport(file, readRows(folder));
  expect(await verifyExport(file, { threads })).toMatchObject({ ok: true, findings: [] });
});

const forgeWith = (forgery: Forgery, folder: string, seed: number) =>
  forgery.forge(readRows(folder), createRandom(seed));

test.each(SEEDS)('finds every forgery in a data folder by its kind (seed %i)', { timeout: 120_000 }, async (seed) => {
  const honest = await honestFolder(seed);
  for (const forgery of forgeries) {
    const folder = await copyOf(honest);
    writeRows(folder, forgeWith(forgery, folder, seed));
    expectKinds(await verifyFolder({ folder, threads }), forgery.inFolder, forgery.name);
    removeWitnesses(folder);
    expectKinds(await verifyFolder({ folder, threads }), forgery.alone, `${forgery.name}, without witnesses`);
  }
});

test.each(SEEDS)('finds every forgery in an export by its kind (seed %i)', { timeout: 120_000 }, async (seed) => {
  const honest = await honestFolder(seed);
  for (const forgery of forgeries) {
    if (forgery.name.startsWith('respells')) continue;
    const file = join(await aFolder(), 'export');
    await writeForgedExport(file, forgeWith(forgery, honest, seed));
    expectKinds(await verifyExport(file, { threads }), forgery.alone, forgery.name);
  }
});

test('finds a read model that was changed', async () => {
  const folder = await honestFolder(1);
  const database = new DatabaseSync(join(folder, 'readmodels.sqlite'));
  database.exec('UPDATE requestsByKind SET requests = requests + 1');
  database.close();
  const { findings } = await verifyFolder({ folder, threads });
  expect(findings[0]).toMatchObject({ kind: 'edited', stream: 'readmodels.sqlite', position: null });
});
