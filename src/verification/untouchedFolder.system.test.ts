import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { anEvent } from '../../test/contract/events.ts';
import { aFolder, copyOf, honestFolder } from '../../test/histories/forged/honestLog.ts';
import { createSqliteEventLog } from '../eventLog/sqlite/sqliteEventLog.ts';
import { verifyFolder } from './verifyFolder.ts';

const threads = 1;

/** Every file of a folder: its size, its bytes and when it was changed. */
const stateOf = (folder: string): string[] =>
  readdirSync(folder).map((name) => {
    const path = join(folder, name);
    const { size, mtimeMs, mode } = statSync(path);
    return `${name} ${size} ${mtimeMs} ${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
  });

/** A data folder as a killed writer leaves it: its last events are in the write-ahead log only. */
async function killedFolder(): Promise<string> {
  const folder = await aFolder();
  const log = await createSqliteEventLog({ path: join(folder, 'log.sqlite'), node: 'n1' });
  await log.append('firewall-main', -1, [anEvent()]);
  const copy = await copyOf(folder);
  await log.close();
  return copy;
}

test('leaves no trace in a folder whose service has stopped', async () => {
  const folder = await honestFolder(1);
  const before = stateOf(folder);
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true });
  expect(stateOf(folder)).toEqual(before);
});

test('reads what a killed process has left in the write-ahead log, and leaves no trace', async () => {
  const folder = await killedFolder();
  const before = stateOf(folder);
  expect(before.map((file) => file.split(' ')[0])).toContain('log.sqlite-wal');
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true, events: 1 });
  expect(stateOf(folder)).toEqual(before);
});

test('reads a write-ahead log whose index is missing, and leaves no trace', async () => {
  const folder = await killedFolder();
  rmSync(join(folder, 'log.sqlite-shm'));
  const before = stateOf(folder);
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true, events: 1 });
  expect(stateOf(folder)).toEqual(before);
});

test('verifies beside a writer, which goes on', async () => {
  const folder = await aFolder();
  const log = await createSqliteEventLog({ path: join(folder, 'log.sqlite'), node: 'n1' });
  await log.append('firewall-main', -1, [anEvent()]);
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true, events: 1 });
  expect(await log.append('firewall-main', 0, [anEvent()])).toMatchObject({ kind: 'committed' });
  expect(await verifyFolder({ folder, threads })).toMatchObject({ ok: true, events: 2 });
  await log.close();
});

test('verifies a part of a log against the events before it', async () => {
  const folder = await honestFolder(1);
  const { ok, events, notes } = await verifyFolder({ folder, threads, from: 100, to: 150 });
  expect({ ok, events }).toEqual({ ok: true, events: 51 });
  expect(notes).toHaveLength(1);
});

test('finds a log of which SQLite cannot read a part', async () => {
  const folder = await honestFolder(1);
  const path = join(folder, 'log.sqlite');
  const bytes = readFileSync(path);
  bytes.fill(0xff, 8_192 * 4, 8_192 * 12);
  writeFileSync(path, bytes);
  const { findings } = await verifyFolder({ folder, threads });
  expect(findings).toMatchObject([{ kind: 'edited', found: expect.stringContaining(`${path} is damaged`) }]);
});
