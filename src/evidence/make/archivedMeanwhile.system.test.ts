import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRows } from '../../../test/histories/forged/forgedFiles.ts';
import { aFolder } from '../../../test/histories/forged/honestLog.ts';
import { signedFolder } from '../../../test/support/evidence/bundles.ts';
import { openTileReader } from '../../integrity/tiles/sqliteTileStore.ts';
import { TreeReader } from '../../integrity/tiles/tileTree.ts';
import { type ArchivedDay, makeBundle } from './makeBundle.ts';
import { readSignedNotes } from './readSignedNotes.ts';

test('names the days that are archived while their rows are read', async () => {
  const folder = await signedFolder();
  const archived: ArchivedDay[] = [];
  const day = { day: '2026-01-01', events: 1, file: 'requests-2026-01-01.svcarchive' };
  function* rows() {
    const [first] = readRows(folder);
    if (first) yield first;
    archived.push(day);
  }
  const tiles = openTileReader(join(folder, 'tree.sqlite'));
  const made = await makeBundle({
    path: join(await aFolder(), 'evidence.zip'),
    selection: {},
    rows: rows(),
    notes: readSignedNotes(join(folder, 'checkpoints.sqlite')) as NonNullable<ReturnType<typeof readSignedNotes>>,
    tree: new TreeReader(tiles),
    archived: () => archived,
    madeBy: 'svc 0.0.0',
    madeAt: '2026-02-03T04:05:06.000Z',
  });
  tiles.close();
  expect(made.archived).toEqual([day]);
});
