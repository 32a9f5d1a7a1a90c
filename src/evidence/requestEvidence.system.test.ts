import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { readRows } from '../../test/histories/forged/forgedFiles.ts';
import { aFolder, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { archiveFolder } from '../../test/support/archives/archiveFolder.ts';
import { makeBundleOf, signedFolder } from '../../test/support/evidence/bundles.ts';
import { signFolder } from '../../test/support/evidence/signedFolder.ts';
import { writeOldEvents } from '../../test/support/oldEvents.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { verifyBundleFile } from './files/verifyBundleFile.ts';
import { requestPositions } from './make/requestPositions.ts';
import { SelectedRows } from './make/selectedRows.ts';

vi.setConfig({ testTimeout: 60_000 });

const idsIn = (folder: string): string[] =>
  readRows(folder).flatMap(({ type, data }) => (type === 'RequestCompleted' ? [JSON.parse(data).requestId] : []));

/** Positions that a bundle of requests has, and how many positions were examined. */
async function selected(folder: string, requests: readonly string[]) {
  using log = openForReading(join(folder, 'log.sqlite'));
  const found = requestPositions(join(folder, 'readmodels.sqlite'), log, requests, await aFolder());
  const positionsWith = (known: typeof found) => {
    const rows = new SelectedRows(log, { requests }, known);
    return Array.from(rows.read(rows.period()), ({ position }) => position);
  };
  return { found, fast: positionsWith(found), slow: positionsWith(undefined) };
}

/** An account cools down because of a request: an event of another stream that names it. */
const coolDownBy = (requestId: string) => ({
  type: 'AccountsCooled',
  version: 1,
  data: { requests: [{ requestId, accounts: [] }] },
});

test('finds the events of requests by the read models as a pass over the log does', async () => {
  const folder = await honestFolder(4);
  const ids = idsIn(folder);
  for (const requests of [...ids.map((id) => [id]), ids.slice(0, 20)]) {
    const { found, fast, slow } = await selected(folder, requests);
    expect(found).toBeDefined();
    expect(fast).toEqual(slow);
    expect(fast.length).toBeGreaterThanOrEqual(requests.length);
  }
});

test('has the events of other streams that name the request, and what the read models do not have yet', async () => {
  const folder = await honestFolder(5);
  const [first = '', second = ''] = idsIn(folder);
  const path = join(folder, 'log.sqlite');
  writeOldEvents(path, 'coolDowns-n1', [coolDownBy(first), coolDownBy(second)]);
  writeOldEvents(path, 'requests-n1.b1_20260102', [
    { type: 'RequestAdmitted', version: 2, data: { requestId: first } },
  ]);
  const { found, fast, slow } = await selected(folder, [first]);
  expect(found?.head).toBeLessThan(readRows(folder).length);
  expect(fast).toEqual(slow);
  expect(fast).toHaveLength(3);
});

test.each<[string, (path: string) => void]>([
  ['missing', (path) => rmSync(path)],
  ['no database', (path) => writeFileSync(path, 'nonsense')],
  ['of another layout', (path) => change(path, 'PRAGMA user_version = 3')],
  ['without the request', (path) => change(path, 'DELETE FROM requests')],
  ['of another log', (path) => change(path, 'UPDATE requests SET position = position + 1000')],
])('proves a request from the log alone when the read models are %s', async (_, damage) => {
  const folder = await signedFolder();
  const [requestId = ''] = idsIn(folder);
  damage(join(folder, 'readmodels.sqlite'));
  expect((await selected(folder, [requestId])).found).toBeUndefined();
  const { path, events } = await makeBundleOf(folder, { requests: [requestId] });
  expect(await verifyBundleFile(path)).toMatchObject({ ok: true, events });
});

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

test('names the file of a request whose day is archived, and writes no bundle', async () => {
  const folder = await honestFolder(6);
  const [requestId = ''] = idsIn(folder);
  await archiveFolder(folder);
  signFolder(folder, { sizes: [100] });
  const made = makeBundleOf(folder, { requests: [requestId] });
  await expect(made).rejects.toThrow(
    new RegExp(
      `Request ${requestId} is archived in requests-2026-01-01\\.[0-9a-f]{12}\\.svcarchive .*restore-archive 2026-01-01`,
    ),
  );
});
