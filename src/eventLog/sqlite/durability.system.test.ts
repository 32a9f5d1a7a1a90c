import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { startChild } from '../../../test/contract/children/child.ts';
import { collect } from '../../../test/contract/collector.ts';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { position } from '../../domain/core/brands.ts';
import { NO_STREAM, type StoredEvent } from '../eventLog.ts';
import { isBreak, verifyStream } from '../hashChain.ts';
import { createSqliteEventLog } from './sqliteEventLog.ts';

test('keeps every acknowledged event at its position, with an intact chain, after kill -9', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  const acknowledged = new Map<string, number>();
  for (const boot of ['one', 'two', 'three']) {
    await using child = startChild('appendForever.ts', path, boot);
    const lines = await child.take(250);
    await child.kill();
    for (const line of [...lines, ...(await child.rest())]) {
      const [id = '', at] = line.split(' ');
      if (at) acknowledged.set(id, Number(at));
    }
  }
  const log = await createSqliteEventLog({ path, node: 'test' });
  const events = await Array.fromAsync(log.readAll(position(0)));
  const positions = new Map(events.map(({ id, position }) => [id, position]));
  for (const [id, at] of acknowledged) expect(positions.get(id)).toBe(at);
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
  for (const stream of Object.values(Object.groupBy(events, (event) => event.stream))) {
    expect(isBreak(verifyStream(stream ?? []))).toBe(false);
  }
  await log.close();
});

test('rejects an append that does not fit on the disk, and writes smaller and later ones', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path, node: 'test', maxBytes: 20 * 8_192 });
  const large = () => Array.from({ length: 20 }, () => anEvent({ correlationId: 'x'.repeat(60_000) }));
  const outcomes = await Promise.all([
    log.append('firewall-a', NO_STREAM, [anEvent()]),
    log.append('firewall-b', NO_STREAM, large()),
    log.append('firewall-c', NO_STREAM, [anEvent()]),
    log.append('firewall-a', 0, [anEvent()]),
    log.append('firewall-a', 1, [anEvent(), ...large()]),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'rejected', 'committed', 'committed', 'rejected']);
  expect(outcomes[1]).toMatchObject({ reason: expect.stringContaining('full') });
  expect(await log.append('firewall-a', 1, [anEvent()])).toMatchObject({ kind: 'committed', revision: 2, position: 4 });
  const events = await Array.fromAsync(log.readStream('firewall-a'));
  expect(isBreak(verifyStream(events))).toBe(false);
  await log.close();
});

const tampered: readonly [what: string, sql: string, revision: number][] = [
  ['edited data', `UPDATE events SET data = json_set(data, '$.ip', '10.9.9.9') WHERE revision = 2`, 2],
  ['an edited actor', `UPDATE events SET metadata = json_set(metadata, '$.actor.reason', 'me') WHERE revision = 2`, 2],
  ['an added metadata field', `UPDATE events SET metadata = json_set(metadata, '$.x', 1) WHERE revision = 2`, 2],
  ['an edited time', 'UPDATE events SET time = time + 1 WHERE revision = 3', 3],
  ['another schema version', 'UPDATE events SET version = 2 WHERE revision = 3', 3],
  ['another type', `UPDATE events SET type = 'IpRevoked' WHERE revision = 0`, 0],
  ['a deleted event', 'DELETE FROM events WHERE revision = 1', 2],
  [
    'two swapped events',
    'UPDATE events SET revision = -revision WHERE revision IN (1, 2); UPDATE events SET revision = 3 + revision WHERE revision < 0',
    1,
  ],
];

test.each(tampered)('finds %s when verifying a stream', async (_, sql, revision) => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path, node: 'test' });
  await log.append('firewall-main', NO_STREAM, someEvents(5));
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  const events: StoredEvent[] = await Array.fromAsync(log.readStream('firewall-main'));
  expect(verifyStream(events)).toMatchObject({ stream: 'firewall-main', revision, reason: expect.any(String) });
  await log.close();
});

test('fails a subscription at a row that is not valid JSON and names its position', async () => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path, node: 'test' });
  await log.append('firewall-main', NO_STREAM, someEvents(5));
  const database = new DatabaseSync(path);
  database.exec("UPDATE events SET data = '{' WHERE position = 4");
  database.close();
  const seen = collect(log, position(0));
  expect(await seen.failure).toMatchObject({ code: 'EVENT_DAMAGED', message: expect.stringContaining('position 4') });
  expect(seen.positions).toEqual([1, 2, 3]);
  await log.close();
});
