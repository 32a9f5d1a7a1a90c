import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { collect } from '../../../test/contract/collector.ts';
import { committed } from '../../../test/contract/eventLog/outcomes.ts';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { position } from '../../domain/core/brands.ts';
import { NO_STREAM } from '../eventLog.ts';
import { createSqliteEventLog } from './sqliteEventLog.ts';

test('reports a batch as unknown when the writer dies after its commit, and delivers it once', async () => {
  await using folder = await tempFolder();
  const writer = new URL('../../../test/contract/children/crashingWriter.ts', import.meta.url);
  const log = await createSqliteEventLog({ path: join(folder.path, 'log.sqlite'), node: 'test', writer });
  using seen = collect(log, position(0));
  const events = someEvents(3);
  expect(await log.append('firewall-main', NO_STREAM, events)).toMatchObject({ kind: 'unknown' });
  expect(await log.append('firewall-main', NO_STREAM, events)).toEqual({ kind: 'committed', revision: 2, position: 3 });
  expect(await log.append('firewall-main', 2, [anEvent()])).toEqual({ kind: 'committed', revision: 3, position: 4 });
  await seen.until(4);
  expect(seen.positions).toEqual([1, 2, 3, 4]);
  await log.close();
});

test('ends an append as unknown when the writer does not report its end, and commits its repeat once', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  const writer = new URL('../../../test/contract/children/hangingWriter.ts', import.meta.url);
  const log = await createSqliteEventLog({ path, node: 'test', writer, timeoutMs: 40 });
  writeFileSync(`${path}.hangs`, '');
  const events = someEvents(2);
  const append = () => log.append('firewall-main', NO_STREAM, events);
  const late = { kind: 'unknown', error: new Error('the disk has not confirmed the write for 0.04 s') };
  // The second one was not sent to the writer, which still has the first one.
  expect([await append(), await append()]).toEqual([late, late]);
  rmSync(`${path}.hangs`);
  // On a loaded machine the writer may need more than 40 ms.
  const repeated = (repeat: typeof append) => vi.waitFor(async () => committed(repeat()), waitOptions);
  expect(await repeated(append)).toMatchObject({ revision: 1, position: 2 });
  const next = [anEvent()];
  expect(await repeated(() => log.append('firewall-main', 1, next))).toMatchObject({ revision: 2, position: 3 });
  await log.close();
});

test('reports appends as unknown after an SQLite error and stays usable', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path, node: 'test' });
  await log.append('firewall-main', NO_STREAM, [anEvent()]);
  const database = new DatabaseSync(path);
  database.exec('ALTER TABLE events RENAME TO hidden');
  const event = anEvent();
  const outcomes = await Promise.all([
    log.append('firewall-main', 0, [event]),
    log.append('firewall-other', NO_STREAM, [anEvent()]),
  ]);
  expect(outcomes).toEqual(Array.from({ length: 2 }, () => ({ kind: 'unknown', error: expect.any(Error) })));
  database.exec('ALTER TABLE hidden RENAME TO events');
  database.close();
  expect(await log.append('firewall-main', 0, [event])).toEqual({ kind: 'committed', revision: 1, position: 2 });
  await log.close();
});

test('delivers events to subscribers before the promise of the append resolves', async () => {
  await using folder = await tempFolder();
  const log = await createSqliteEventLog({ path: join(folder.path, 'log.sqlite'), node: 'test' });
  using seen = collect(log, position(0));
  await seen.caughtUp;
  for (let revision = NO_STREAM; revision < 20; revision += 1) {
    await log.append('firewall-main', revision, [anEvent()]);
    expect(seen.events).toHaveLength(revision + 2);
  }
  await log.close();
});

test('rejects an id that is used elsewhere in the log, and writes the others of its batch', async () => {
  await using folder = await tempFolder();
  const log = await createSqliteEventLog({ path: join(folder.path, 'log.sqlite'), node: 'test' });
  const event = anEvent();
  const outcomes = await Promise.all([
    log.append('firewall-a', NO_STREAM, [event]),
    log.append('firewall-b', NO_STREAM, [anEvent(), event]),
    log.append('firewall-b', NO_STREAM, [anEvent()]),
  ]);
  expect(outcomes).toEqual([
    { kind: 'committed', revision: 0, position: 1 },
    { kind: 'rejected', reason: expect.stringContaining('id'), isLogFine: true },
    { kind: 'committed', revision: 0, position: 2 },
  ]);
  await log.close();
});

test('rejects an append that needs a damaged archive, with one remedy', async () => {
  await using folder = await tempFolder();
  const archivePath = join(folder.path, 'archive.sqlite');
  const log = await createSqliteEventLog({ path: join(folder.path, 'log.sqlite'), node: 'test', archivePath });
  writeFileSync(archivePath, 'x'.repeat(9_000));
  expect(await log.append('firewall-main', NO_STREAM, [anEvent()])).toEqual({
    kind: 'rejected',
    reason: `the log cannot be written: ${archivePath} is damaged, or not a file of svc: file is not a database`,
    remedy: 'Stop svc and restore the data folder from a backup.',
  });
  await log.close();
});
