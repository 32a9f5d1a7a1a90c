import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { anEvent } from '../../test/contract/events.ts';
import { aFolder, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { createSqliteEventLog } from '../eventLog/sqlite/sqliteEventLog.ts';
import { verifyFolder } from './verifyFolder.ts';
import { CannotVerify } from './verifyOptions.ts';

// What a forger does to the file of the log or to those beside it, not to the content of an event.

const threads = 1;
async function changed(sql: string, file = 'log.sqlite'): Promise<string> {
  const folder = await honestFolder(1);
  const database = new DatabaseSync(join(folder, file));
  database.exec(sql);
  database.close();
  return folder;
}

test.each(['position', 'revision', 'version', 'time'])(
  'finds a %s that no number of JavaScript holds',
  async (column) => {
    const folder = await changed(`UPDATE events SET ${column} = 9223372036854775807 WHERE position = 50`);
    expect(await verifyFolder({ folder, threads })).toMatchObject({
      ok: false,
      findings: [{ kind: 'edited', position: column === 'position' ? null : 50 }],
    });
  },
);

test('finds bytes that decode to the same text', async () => {
  const folder = await aFolder();
  const log = await createSqliteEventLog({ path: join(folder, 'log.sqlite'), node: 'n1' });
  // U+FFFD, which also stands for each byte that is not UTF-8.
  await log.append('firewall-main', -1, [anEvent(), anEvent({ correlationId: 'request-\ufffd' }), anEvent()]);
  await log.close();
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true, events: 3 });
  const database = new DatabaseSync(join(folder, 'log.sqlite'));
  database.exec(
    "UPDATE events SET metadata = CAST(unhex(replace(hex(metadata), 'EFBFBD', 'FF')) AS TEXT) WHERE position = 2",
  );
  database.close();
  const { findings } = await verifyFolder({ folder, threads });
  expect(findings).toMatchObject([{ kind: 'bytes not canonical', position: 2, stream: 'firewall-main' }]);
});

test.each([
  ['trigger', 'CREATE TRIGGER hidden AFTER INSERT ON events BEGIN DELETE FROM events WHERE position = 7; END'],
  ['view', 'ALTER TABLE events RENAME TO others; CREATE VIEW events AS SELECT * FROM others'],
])('finds a %s in the log', async (_, sql) => {
  expect(await verifyFolder({ folder: await changed(sql), threads })).toMatchObject({
    ok: false,
    findings: [{ kind: 'inserted', stream: 'log.sqlite', found: expect.stringMatching(/^the (trigger|view) /) }],
  });
});

const truncated = { ok: false, findings: expect.arrayContaining([expect.objectContaining({ kind: 'truncated' })]) };

test('finds a log whose table of events is gone', async () => {
  expect(await verifyFolder({ folder: await changed('DROP TABLE events'), threads })).toMatchObject(truncated);
});

test('finds a log that is an empty file', async () => {
  const folder = await honestFolder(1);
  for (const suffix of ['-wal', '-shm']) rmSync(join(folder, `log.sqlite${suffix}`), { force: true });
  writeFileSync(join(folder, 'log.sqlite'), '');
  expect(await verifyFolder({ folder, threads })).toMatchObject(truncated);
});

test('finds a log whose table has lost a column', async () => {
  const folder = await changed('ALTER TABLE events RENAME COLUMN metadata TO other');
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: false, findings: [{ kind: 'edited' }] });
});

test('finds read models that are no file of svc', async () => {
  const folder = await honestFolder(1);
  writeFileSync(join(folder, 'readmodels.sqlite'), 'something else'.repeat(1_000));
  const finding = { kind: 'edited', stream: 'readmodels.sqlite', found: 'a damaged file' };
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: false, findings: [finding] });
});

test('names two files that were changed, although neither has a position', async () => {
  const folder = await changed('CREATE VIEW other AS SELECT 1');
  const checkpoints = join(folder, 'note');
  writeFileSync(checkpoints, 'no note');
  const { findings } = await verifyFolder({ folder, checkpoints, threads });
  expect(findings.map(({ stream }) => stream)).toEqual(['log.sqlite', checkpoints]);
});

test('says that there is nothing behind the end of the log instead of calling it intact', async () => {
  const folder = await honestFolder(1);
  await expect(verifyFolder({ folder, from: 5_000, threads })).rejects.toThrow(CannotVerify);
  const { ok, notes } = await verifyFolder({ folder, to: 5_000, threads });
  expect([ok, notes]).toEqual([true, [expect.stringContaining('before position 5000')]]);
});
