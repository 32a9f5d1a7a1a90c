import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { appender, completed, refused, temporaryFolder } from '../../../test/support/management.ts';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { position } from '../../domain/core/brands.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { CannotRebuild } from '../rebuild.ts';
import { compareReadModels, rebuildReadModels } from './rebuild.ts';
import { createSqliteReadModels } from './sqliteReadModels.ts';

/** A data folder with a log of 23 events and complete read models. */
async function dataFolder() {
  const folder = temporaryFolder();
  const logPath = join(folder, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'test' });
  const append = appender(log, async () => undefined);
  await append(...Array.from({ length: 20 }, (_, index) => completed({ requestId: `req_${index}` })));
  const head = await append(refused(), completed({ status: 'error', errorMessage: 'broke' }), refused());
  await log.close();
  const total = async () => {
    const readModels = createSqliteReadModels({ folder, logPath });
    const { total: found } = await readModels.requestLog.page({ statuses: ['200'] }, 1, 0, head);
    await readModels.close();
    return found;
  };
  await total();
  return { folder, head, total };
}

function tamper(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'readmodels.sqlite'));
  database.enableDefensive(false);
  database.exec(sql);
  database.close();
}

/** Runs the command line in a child process. */
function svc(folder: string, ...args: string[]): Promise<{ code: number | null; out: string[]; err: string[] }> {
  const cli = fileURLToPath(new URL('../../start.mjs', import.meta.url));
  const child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, SVC_DATA_DIR: folder } });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const lines = (chunks: Buffer[]) => Buffer.concat(chunks).toString().split('\n').filter(Boolean);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out: lines(out), err: lines(err) })));
}

test('a rebuild gives the expected read models whatever files exist', async () => {
  const { folder, head, total } = await dataFolder();
  tamper(folder, 'UPDATE requestsByKind SET requests = 7');
  const reported: [number, number][] = [];
  expect(rebuildReadModels({ folder, onProgress: (...progress) => reported.push(progress) })).toBe(head);
  expect(reported).toEqual([[head, head]]);
  expect(await total()).toBe(20);
  expect(compareReadModels({ folder }).differences).toEqual([]);
});

test('a rebuild gives names that clients invented the same kinds as a service that restarts among them', async () => {
  const folder = temporaryFolder();
  const logPath = join(folder, 'log.sqlite');
  for (const part of [1, 2, 3]) {
    const log = await createSqliteEventLog({ path: logPath, node: 'test' });
    const append = appender(log, async () => undefined);
    const invented = Array.from({ length: 300 }, (_, index) => {
      const [model, effort] = [`model ${part * index}`, `effort ${(part * index) % 50}`];
      return index % 7 === 0 ? completed({ model, effort }) : refused({ model, effort });
    });
    const head = await append(...invented);
    await log.close();
    const readModels = createSqliteReadModels({ folder, logPath });
    expect((await readModels.requestLog.page({}, 1, 0, head)).total).toBe(part * 300);
    expect((await readModels.requestLog.options({}, head)).modelOptions.some(({ effort }) => effort === 'other')).toBe(
      true,
    );
    await readModels.close();
  }
  expect(compareReadModels({ folder }).differences).toEqual([]);
});

test('a comparison finds no difference in intact read models, and leaves no file', async () => {
  const { folder, head } = await dataFolder();
  expect(compareReadModels({ folder })).toEqual({ position: head, rows: expect.any(Number), differences: [] });
  expect(readdirSync(folder).filter((name) => name.includes('compare'))).toEqual([]);
});

test.each([
  ['UPDATE requestsByKind SET latencyMs = latencyMs + 1 WHERE period = 2 AND kindId = 1', ['latencyMs is 24001 in']],
  ['DELETE FROM requests WHERE position = 5', ['requests position=5: is missing from the live']],
  ['UPDATE requests SET messageId = 1 WHERE position = 5', ['requests position=5: messageId is 1 in the live']],
  ...[-1, 0, 99].map((at): [string, string[]] => [
    `INSERT INTO requests SELECT ${at}, requestId, requestedAt, kindId, sourceId, clientId, conversation, route, failed, messageId,
       inputTokens, outputTokens, cachedInputTokens, reasoningTokens, costMicroDollars, latencyMs, firstByteMs, attempts,
       modelBeyond, effortBeyond FROM requests WHERE position = 5`,
    [`requests position=${at}: is only in the live`],
  ]),
  [
    "INSERT INTO requestIds VALUES (0, 'req_1', 3, 1, 1)",
    ['requestIds stretch=0 requestId=req_1 position=3: is only in'],
  ],
  ["INSERT INTO messages VALUES (99, 'invented')", ['messages id=99: is only in the live']],
  [
    "UPDATE requests SET requestId = 'other' WHERE position = 3",
    ['requestId is "other" in the live', '"req_2" rebuilt'],
  ],
  ['UPDATE requestKinds SET model = NULL WHERE id = 1', ['requestKinds id=1: model is null in the live']],
  [
    "UPDATE postings SET offsets = x'0100' WHERE type = 2 AND label = 0",
    ['postings label=0 type=2 block=0: offsets is'],
  ],
  ['INSERT INTO marks VALUES (7, 1)', ['marks position=7: is only in the live']],
  ["INSERT INTO texts (rowid, text) VALUES (24, 'abc')", ['textsTerms term=abc doc=24 offset=0: is only in the live']],
  [
    // A text that is equal by the forged rules of its column.
    `PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET sql = replace(sql, 'route TEXT', 'route TEXT COLLATE NOCASE') WHERE name = 'requests';
     PRAGMA writable_schema = RESET; UPDATE requests SET route = upper(route) WHERE position = 3`,
    ['requests position=3: route is'],
  ],
  ["INSERT INTO otherAttempts VALUES (3, 0, 'a', 1, 1)", ['otherAttempts position=3 ordinal=0: is only in the live']],
  ['DROP TABLE messages', ['messages: the live table is missing']],
  ["UPDATE progress SET version = 'old'", ['of version "old"']],
  // After an update, before its first start: other tables are no change.
  ['PRAGMA user_version = 16', ['and layout 16, this svc builds']],
  ['UPDATE progress SET position = 99', ['end at position 99']],
  ["UPDATE progress SET eventId = 'another'", ['with event another']],
])('comparing finds %s', async (sql, expected) => {
  const { folder } = await dataFolder();
  tamper(folder, sql);
  const { differences } = compareReadModels({ folder });
  expect(differences).toHaveLength(1);
  for (const part of expected) expect(differences[0]).toContain(part);
});

test('reports the first ten of many differences', async () => {
  const { folder } = await dataFolder();
  tamper(folder, 'UPDATE requests SET attempts = 9');
  expect(compareReadModels({ folder }).differences).toHaveLength(10);
});

test('compares lagging read models up to their position', async () => {
  const { folder, head } = await dataFolder();
  const log = await createSqliteEventLog({ path: join(folder, 'log.sqlite'), node: 'test' });
  await appender(log, async () => undefined)(completed());
  await log.close();
  expect(compareReadModels({ folder })).toMatchObject({ position: head, differences: [] });
});

test('builds empty read models from an empty log', async () => {
  const folder = temporaryFolder();
  await (await createSqliteEventLog({ path: join(folder, 'log.sqlite'), node: 'test' })).close();
  expect(() => compareReadModels({ folder })).toThrow(CannotRebuild);
  expect(rebuildReadModels({ folder })).toBe(position(0));
  expect(compareReadModels({ folder }).differences).toEqual([]);
});

test('svc rebuild prints progress; with --compare it prints differences and exits with 1', async () => {
  const { folder } = await dataFolder();
  expect(await svc(folder, 'rebuild', '--compare')).toMatchObject({ code: 0, err: [] });
  tamper(folder, 'UPDATE requests SET attempts = 9 WHERE position = 1');
  const { code, out } = await svc(folder, 'rebuild', '--compare');
  expect([code, out]).toEqual([
    1,
    ['100 % (23 of 23 events)', 'requests position=1: attempts is 9 in the live read models, 0 rebuilt'],
  ]);
  const rebuilt = {
    code: 0,
    out: [
      '100 % (23 of 23 events)',
      'tree rebuilt up to position 23',
      '100 % (23 of 23 events)',
      'read models rebuilt up to position 23',
    ],
    err: [],
  };
  expect(await svc(folder, 'rebuild')).toEqual(rebuilt);
  expect(await svc(folder, 'rebuild', '--compare')).toMatchObject({ code: 0 });
});

test('svc rebuild makes the tree again, and --compare names what differs in it', async () => {
  const { folder } = await dataFolder();
  await svc(folder, 'rebuild');
  const { code, out } = await svc(folder, 'rebuild', '--compare');
  expect([code, out[1]]).toEqual([0, 'no difference in the tree, up to position 23']);
  const database = new DatabaseSync(join(folder, 'tree.sqlite'));
  database.exec('UPDATE tiles SET hashes = zeroblob(length(hashes))');
  database.close();
  const changed = await svc(folder, 'rebuild', '--compare');
  expect(changed.code).toBe(1);
  expect(changed.out).toContain('tree: tile 0 of level 0 differs from the one that is made from the log');
  await svc(folder, 'rebuild');
  expect(await svc(folder, 'rebuild', '--compare')).toMatchObject({ code: 0 });
});

test('svc rebuild --compare prints text of clients and providers without moving the cursor', async () => {
  const { folder } = await dataFolder();
  tamper(folder, "UPDATE messages SET text = 'no' || char(10, 27, 0x85, 0x202e) || 'forged' WHERE id = 1");
  const { code, out } = await svc(folder, 'rebuild', '--compare');
  expect([code, out.length]).toEqual([1, 2]);
  expect(out[1]).toMatch(/messages id=1: text is "no\\n\\u001b\\u0085\\u202eforged"/);
});

test('svc rebuild --compare exits with 1 on a difference in the index of the history', async () => {
  const { folder } = await dataFolder();
  tamper(folder, "UPDATE postings SET offsets = x'0100' WHERE type = 2 AND label = 0");
  const { code, out } = await svc(folder, 'rebuild', '--compare');
  expect([code, out[1]]).toEqual([1, expect.stringContaining('postings label=0 type=2 block=0: offsets is')]);
});

test('compares, but does not rebuild, the read models of a running service', async () => {
  const { folder } = await dataFolder();
  const held = openDataFolder(folder);
  try {
    const { code, out, err } = await svc(folder, 'rebuild');
    expect([code, out, err]).toEqual([
      1,
      [],
      [`${folder} is in use by another svc process. Stop it, or set SVC_DATA_DIR.`],
    ]);
    expect(await svc(folder, 'rebuild', '--compare')).toMatchObject({ code: 0, err: [] });
  } finally {
    held.close();
  }
});

test('reports a folder without a log in one line, and creates nothing there', async () => {
  const folder = join(temporaryFolder(), 'misspelt');
  for (const args of [['rebuild'], ['rebuild', '--compare'], ['export', join(folder, '..', 'history.jsonl')]]) {
    const { code, out, err } = await svc(folder, ...args);
    expect([code, out, err]).toEqual([1, [], [`There is no log in ${folder}: set SVC_DATA_DIR to the data folder.`]]);
  }
  expect(existsSync(folder)).toBe(false);
});
