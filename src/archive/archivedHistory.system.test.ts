import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { aFolder } from '../../test/histories/forged/honestLog.ts';
import { rowsIn } from '../../test/support/archives/archivableLog.ts';
import { withArchiveHost } from '../../test/support/archives/archiveFolder.ts';
import { partsOf } from '../../test/support/partsOf.ts';
import { position } from '../domain/core/brands.ts';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { decodeRollUps } from '../readModels/archivedRollUps.ts';
import { emptyFold, type Fold } from '../state/fold/fold.ts';
import { foldFile } from '../state/pages/foldFile.ts';
import { firstFold } from '../state/snapshots/sealedFold.ts';
import { verifyFolder } from '../verification/verifyFolder.ts';
import { restoreDay } from './restoreDay.ts';

/**
 * A data folder of which version 17 of the fold has archived the only day of requests (seed 17 of `honestFolder`, written by
 * `archiveFolder`). It is never changed: every later svc must read its log, its `archive.sqlite` and its archive file.
 */
const GOLDEN = fileURLToPath(new URL('../../test/histories/archived', import.meta.url));
const DAY = '2026-01-01';
const REQUESTS = 110;
const UP_TO = 184;

/** A data folder with the files of the golden one. */
async function goldenFolder(): Promise<string> {
  const folder = await aFolder();
  mkdirSync(join(folder, 'archives'));
  for (const name of readdirSync(GOLDEN)) {
    const from = join(GOLDEN, name);
    if (name.endsWith('.zst')) writeFileSync(join(folder, name.slice(0, -4)), zstdDecompressSync(readFileSync(from)));
    else copyFileSync(from, join(folder, 'archives', name));
  }
  return folder;
}

/** Folds up to the end of the archived day. */
async function foldOfDay(logPath: string, fold: Fold): Promise<unknown> {
  await foldFile(fold, logPath, position(UP_TO));
  return partsOf(fold);
}

test('verifies a folder that an earlier version has archived, to the root of then', async () => {
  const folder = await goldenFolder();
  expect(await verifyFolder({ folder, threads: 1 })).toMatchObject({
    ok: true,
    findings: [],
    events: 185,
    root: 'b1b5f75f3f1293cfdc670c6da65941b03c074208500a4e70efd4c69f293ba3a2',
  });
});

test('folds the sealed state of an earlier version to what the restored events give', async () => {
  const folder = await goldenFolder();
  const path = join(folder, 'log.sqlite');
  const sealed = await foldOfDay(path, firstFold(path));
  expect(rowsIn(path).filter(({ stream }) => stream.startsWith('requests-'))).toEqual([]);
  await withArchiveHost(folder, (host) => restoreDay({ host, folder: join(folder, 'archives'), what: DAY }));
  expect(rowsIn(path).filter(({ stream }) => stream.startsWith('requests-'))).toHaveLength(REQUESTS);
  expect(await foldOfDay(path, emptyFold())).toEqual(sealed);
  expect(await verifyFolder({ folder, threads: 1 })).toMatchObject({ ok: true, findings: [], events: 186 });
});

test('reads the roll-ups that an earlier version has kept', async () => {
  const archived = ArchivedEvents.open(join(await goldenFolder(), 'archive.sqlite'));
  const [segment] = archived?.segments() ?? [];
  const sums = decodeRollUps(archived?.rollUpsOf(segment as NonNullable<typeof segment>) ?? Buffer.alloc(0));
  archived?.close();
  const requests = sums.filter(({ rollUp }) => rollUp === 'requestsByKind').map((each) => each.sums.requests ?? 0);
  expect(requests.reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
});
