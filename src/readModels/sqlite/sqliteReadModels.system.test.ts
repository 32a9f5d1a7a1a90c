import { randomUUID } from 'node:crypto';
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { appender, completed, refused, temporaryFolder } from '../../../test/support/management.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { instant, type Position, position } from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import { IpAllowed } from '../../domain/firewall/events.ts';
import type { IpAddress } from '../../domain/firewall/ipAddress.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { ReadModelUnavailable } from '../readModelUnavailable.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

const everything = position(0);

/** Writes and closes a log with these events. @returns its file and its last position */
async function logOf(folder: string, ...events: DomainEvent[]): Promise<{ logPath: string; head: Position }> {
  const logPath = join(folder, `log-${randomUUID()}.sqlite`);
  const log = await createSqliteEventLog({ path: logPath, node: 'test' });
  const append = appender(log, async () => undefined);
  let head = everything;
  for (let start = 0; start < events.length; start += 1_000) head = await append(...events.slice(start, start + 1_000));
  await log.close();
  return { logPath, head };
}

function open(folder: string, logPath: string, onTrouble?: (error: Error) => void) {
  const readModels = createSqliteReadModels({ folder, logPath, ...(onTrouble && { onFailure: onTrouble }) });
  onTestFinished(() => readModels.close());
  const ids = async (at: Position) => {
    const { rows, total } = await readModels.requestLog.page({}, 1_000, 0, at);
    expect(total).toBe(rows.length);
    return rows.map(({ requestId }) => requestId);
  };
  return { ...readModels, ids };
}

/** Changes the closed file of the read models. */
function tamper(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'readmodels.sqlite'));
  database.exec(sql);
  database.close();
}

const a = completed({ requestId: 'a' });
const b = refused({ requestId: 'b' });
const c = completed({ requestId: 'c' });
const other = IpAllowed({ ip: '10.0.0.1' as IpAddress });

test('returns a row per request, newest first, and none for other events', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, other, a, other, b, c, other);
  const { requestLog } = open(folder, logPath);
  const { rows, total } = await requestLog.page({}, 10, 0, head);
  expect(rows.map((row) => [row.position, row.requestId])).toEqual([
    [5, 'c'],
    [4, 'b'],
    [2, 'a'],
  ]);
  expect(total).toBe(3);
});

test('a query includes events that were appended right before it', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'log.sqlite');
  const log = await createSqliteEventLog({ path, node: 'test' });
  onTestFinished(() => log.close());
  const append = appender(log, async () => undefined);
  const { ids } = open(folder, path);
  expect(await ids(everything)).toEqual([]);
  expect(await ids(await append(a))).toEqual(['a']);
  expect(await ids(await append(b, c))).toEqual(['c', 'b', 'a']);
});

test('starts before the log has a file', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'log.sqlite');
  const { ids } = open(folder, path);
  expect(await ids(everything)).toEqual([]);
  const log = await createSqliteEventLog({ path, node: 'test' });
  onTestFinished(() => log.close());
  expect(await ids(await appender(log, async () => undefined)(a))).toEqual(['a']);
});

test('builds the same rows in many batches as in one', async () => {
  const folder = temporaryFolder();
  const events = Array.from({ length: 12_001 }, (_, index) => completed({ requestId: `r${index}` }));
  const { logPath, head } = await logOf(folder, ...events);
  const { requestLog } = open(folder, logPath);
  // A query waits for at most 1 s, and this many rows may take longer on a busy machine.
  const page = await vi.waitUntil(async () => {
    const found = await requestLog.page({}, 2, 6_000, head);
    return found.total === 12_001 && found;
  }, 15_000);
  expect(page.rows.map(({ requestId }) => requestId)).toEqual(['r6000', 'r5999']);
});

test('accepts a filter with thousands of values', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a, b);
  const { requestLog } = open(folder, logPath);
  const names = Array.from({ length: 5_000 }, (_, index) => `model-${index}`);
  const found = await requestLog.page(
    {
      models: [...names, 'gpt-5.1'],
      efforts: [...names, null],
      modelOptions: [...names, 'gpt-5.1'].flatMap((model) => [
        { model, effort: null },
        { model, effort: 'low' },
      ]),
    },
    10,
    0,
    head,
  );
  expect([found.rows.map(({ requestId }) => requestId), found.total]).toEqual([['a'], 1]);
});

test('empty lists match nothing', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a, b);
  const { requestLog } = open(folder, logPath);
  for (const filter of [{ accountIds: [] }, { statuses: [] }, { models: [] }, { efforts: [] }, { modelOptions: [] }]) {
    expect(await requestLog.page(filter, 10, 0, head)).toEqual({ rows: [], total: 0 });
  }
});

test('does not count for a client that has disconnected, and goes on with other breakdowns', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a, b);
  const { figures } = open(folder, logPath);
  const cancellation = new Int32Array(new SharedArrayBuffer(4));
  const edges = [instant(0), instant(Date.now() + 1)];
  const count = () => figures.breakdown({ by: 'key', filter: {}, edges, maxGroups: 10, cancellation }, head);
  expect((await count()).total.sums.requests).toBe(2);
  Atomics.store(cancellation, 0, 1);
  await expect(count()).rejects.toThrow('The client has disconnected');
  Atomics.store(cancellation, 0, 0);
  expect((await Promise.all([count(), count(), count()])).map(({ total }) => total.sums.requests)).toEqual([2, 2, 2]);
});

test('continues after a restart', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a, b);
  const first = open(folder, logPath);
  await first.ids(head);
  await first.close();
  tamper(folder, "UPDATE requests SET requestId = 'kept' WHERE position = 1");
  expect(await open(folder, logPath).ids(head)).toEqual(['b', 'kept']);
});

test.each([
  ['another version of the projection', 'UPDATE progress SET version = 0'],
  ['a checkpoint ahead of the log', 'UPDATE progress SET position = 99'],
  ['a checkpoint in another history', "UPDATE progress SET eventId = 'another'"],
])('rebuilds from zero after: %s', async (_name, change) => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a, b);
  const first = open(folder, logPath);
  await first.ids(head);
  await first.close();
  tamper(folder, `${change}; UPDATE requests SET requestId = 'stale'`);
  expect(await open(folder, logPath).ids(head)).toEqual(['b', 'a']);
});

test.each([
  ['is shorter', [a]],
  ['is as long', [a, c]],
  ['is longer', [a, c, b]],
])('follows a restored log that %s, and drops the rows of the previous one', async (_name, events) => {
  const folder = temporaryFolder();
  const before = await logOf(folder, a, b);
  const first = open(folder, before.logPath);
  await first.ids(before.head);
  await first.close();
  const restored = await logOf(folder, ...events);
  const expected = events.map(({ data }) => data.requestId).reverse();
  expect(await open(folder, restored.logPath).ids(restored.head)).toEqual(expected);
});

test('rebuilds a damaged file', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a, b);
  writeFileSync(join(folder, 'readmodels.sqlite'), 'this was a database once '.repeat(1_000));
  expect(await open(folder, logPath).ids(head)).toEqual(['b', 'a']);
});

test('projects new events without a query', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'log.sqlite');
  const log = await createSqliteEventLog({ path, node: 'test' });
  onTestFinished(() => log.close());
  const { notify, ids } = open(folder, path);
  await ids(everything);
  notify(await appender(log, async () => undefined)(a, b));
  const reader = new DatabaseSync(join(folder, 'readmodels.sqlite'), { readOnly: true });
  onTestFinished(() => reader.close());
  const folded = () => reader.prepare('SELECT position FROM progress').get()?.position;
  await vi.waitFor(() => expect(folded()).toBe(2), { timeout: 10_000 });
});

test('runs a query after 1 s when the log has not reached its position', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a);
  const { ids } = open(folder, logPath);
  await ids(head);
  const started = performance.now();
  expect(await ids(position(head + 1))).toEqual(['a']);
  expect(performance.now() - started).toBeGreaterThan(990);
});

test('reports an unknown event type once, and fails queries that need it', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a, b);
  const database = new DatabaseSync(logPath);
  database.exec('UPDATE events SET version = 99 WHERE position = 2');
  database.close();
  const failures: string[] = [];
  const { requestLog, notify } = open(folder, logPath, (error) => failures.push(error.message));
  await expect(requestLog.page({}, 10, 0, head)).rejects.toThrow(ReadModelUnavailable);
  notify(head);
  await expect(requestLog.page({}, 10, 0, head)).rejects.toThrow('schema version 99');
  expect(failures).toEqual([expect.stringContaining('schema version 99')]);
});

test('closes only once, and rejects queries that are still open', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a);
  const readModels = open(folder, logPath);
  const late = readModels.requestLog.page({}, 10, 0, position(head + 1));
  await Promise.all([expect(late).rejects.toThrow(ReadModelUnavailable), readModels.close(), readModels.close()]);
  await expect(readModels.requestLog.page({}, 10, 0, head)).rejects.toThrow(ReadModelUnavailable);
  readModels.notify(head);
});

test('100,000 invented models, originators and user agents grow neither roll-ups nor what is in memory', async () => {
  const folder = temporaryFolder();
  const invented = (from: number) =>
    Array.from({ length: 20_000 }, (_, index) => {
      const name = `${from + index}`;
      const client = { name, version: '1', originator: name, addressDigest: 'd' };
      return refused({ model: `model ${name}`, effort: `effort ${name}`, client });
    });
  const sizes: unknown[] = [];
  const events: DomainEvent[] = [];
  for (const from of [0, 20_000, 40_000, 60_000, 80_000]) events.push(...invented(from));
  for (const count of [20_000, 100_000]) {
    const { logPath, head } = await logOf(folder, ...events.slice(0, count));
    const { requestLog, close } = open(folder, logPath);
    const total = async () => (await requestLog.page({}, 1, 0, head)).total;
    await expect.poll(total, { timeout: 120_000 }).toBe(count);
    await close();
    const database = new DatabaseSync(join(folder, 'readmodels.sqlite'), { readOnly: true });
    const rowsOf = (table: string) => database.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get()?.count as number;
    const tables = ['requestKinds', 'requestSources', 'requestsByKind', 'figures', 'figureNames', 'figureGroups'];
    sizes.push(Object.fromEntries(tables.map((table) => [table, rowsOf(table)])));
    database.close();
    rmSync(join(folder, 'readmodels.sqlite'));
  }
  expect(sizes[1]).toEqual(sizes[0]);
  expect(sizes[0]).toMatchObject({ requestSources: 1, requestsByKind: expect.any(Number) });
}, 240_000);

test('queries say why the read models have stopped', async () => {
  const folder = temporaryFolder();
  const { logPath, head } = await logOf(folder, a);
  mkdirSync(join(folder, 'readmodels.sqlite'));
  const failed = Promise.withResolvers<Error>();
  const { progress, notify } = open(folder, logPath, failed.resolve);
  notify(head);
  await failed.promise;
  await expect(progress.reached(head)).rejects.toThrow(
    /^the read models have stopped: \S+readmodels\.sqlite cannot be opened: it is a folder\. Stop svc and delete it: .+ from the event log$/,
  );
  rmdirSync(join(folder, 'readmodels.sqlite'));
  await vi.waitFor(async () => {
    notify(head);
    expect(await progress.reached(head)).toBe(head);
  }, waitOptions);
});
