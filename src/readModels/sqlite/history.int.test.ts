import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { appender, completed, refused, temporaryFolder } from '../../../test/support/management.ts';
import type { Position } from '../../domain/core/brands.ts';

import { IpAllowed } from '../../domain/firewall/events.ts';
import type { IpAddress } from '../../domain/firewall/ipAddress.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import type { ReadModels } from '../readModels.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

/** A log, and histories that are opened over it one after the other. */
async function stage() {
  const folder = temporaryFolder();
  const logPath = join(folder, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'test' });
  onTestFinished(() => log.close());
  const start = () => {
    const readModels = createSqliteReadModels({ folder, logPath });
    onTestFinished(() => readModels.close());
    return readModels;
  };
  return { folder, log, logPath, start, append: appender(log, async () => undefined) };
}

const allow = (ip: string) => IpAllowed({ ip: ip as IpAddress });
const shown = async ({ history }: ReadModels, head: Position) => ({
  all: await history.page({}, null, 200, head),
  allowed: await history.page({ types: ['IpAllowed'] }, null, 200, head),
  system: await history.page({ actors: ['system'] }, null, 200, head),
  found: await history.page({ search: 'may use' }, null, 200, head),
});

test('returns the same pages from an intact, a damaged and a missing file', async () => {
  const { folder, start, append } = await stage();
  await append(allow('10.0.0.1'), completed({ requestId: 'req_1' }), refused({ requestId: 'req_2' }));
  const head = await append(allow('10.0.0.2'));
  const first = start();
  const expected = await shown(first, head);
  expect(expected.all.entries).toHaveLength(4);
  await first.close();

  const file = join(folder, 'readmodels.sqlite');
  const changes = [
    () => undefined,
    () => rmSync(file),
    () => {
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
      writeFileSync(file, 'this is no database, and long enough to be taken for one'.repeat(100));
    },
  ];
  for (const change of changes) {
    change();
    const readModels = start();
    expect(await shown(readModels, head)).toEqual(expected);
    await readModels.close();
  }
});

test('reindexes a log that was restored from a backup and continued differently', async () => {
  const { folder, logPath, log, start, append } = await stage();
  await append(allow('10.0.0.1'));
  const head = await append(allow('10.0.0.2'));
  const first = start();
  expect((await shown(first, head)).found.entries).toHaveLength(2);
  await first.close();
  await log.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(logPath + suffix, { force: true });

  const restored = await createSqliteEventLog({ path: logPath, node: 'test' });
  onTestFinished(() => restored.close());
  const appendTo = appender(restored, async () => undefined);
  const second = createSqliteReadModels({ folder, logPath });
  onTestFinished(() => second.close());
  const end = await appendTo(allow('10.9.9.9'), completed(), completed());
  const { found, all } = await shown(second, end);
  expect(found.entries.map(({ sentence }) => sentence)).toEqual(['10.9.9.9 may use the proxy']);
  expect(all.entries).toHaveLength(3);
});

test('finds a request by its id, whatever its outcome', async () => {
  const { start, append } = await stage();
  const head = await append(completed({ requestId: 'req_a' }), refused({ requestId: 'req_b' }), completed());
  const { history } = start();
  for (const [id, type] of [
    ['req_a', 'RequestCompleted'],
    ['req_b', 'RequestRefused'],
  ]) {
    const { entries, before } = await history.page({ subjects: [`request-${id}`] }, null, 50, head);
    expect([entries.map((entry) => entry.type), before]).toEqual([[type], null]);
  }
});
