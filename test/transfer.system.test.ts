import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { managementApi } from './durability/support/managementApi.ts';
import { serve } from './durability/support/serve.ts';
import { startFakeEventStore } from './support/eventstore/fakeEventStore.ts';
import { startGateway } from './support/gateway.ts';

/** Starting processes takes a while on a busy machine. */
const SLOW = { timeout: 120_000 };

type Environment = Readonly<Record<string, string>>;

/** Runs a command of svc in a process of its own. */
const svc = (folder: string, env: Environment, ...args: string[]) =>
  serve({ folder, env, command: [process.execPath, 'src/start.mjs', ...args] }).ended;

/** All columns of all events, in order of positions. */
function historyIn(file: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const columns = 'position, stream, revision, id, type, version, time, data, metadata';
  const rows = database.prepare(`SELECT ${columns} FROM events ORDER BY position`).all();
  database.close();
  return rows.map((row) => ({ ...row }));
}

/** Runs a service with an account, an API key and some requests, and stops it. The master key is not in the folder. */
async function usedEmbeddedFolder() {
  const masterKey = randomBytes(32).toString('base64');
  const gateway = await startGateway({ accounts: 1, env: { SVC_ENCRYPTION_KEY: masterKey } });
  onTestFinished(() => gateway.stop());
  for (let request = 0; request < 3; request += 1) await (await gateway.ask()).text();
  await gateway.api('POST', '/api/api-keys', { name: 'moved along' });
  await gateway.api('POST', '/api/firewall/ips', { ip_address: '127.0.0.1' });
  const before = {
    accounts: (await gateway.api('GET', '/api/accounts')).body.accounts.map(shownAccount),
    keys: (await gateway.api('GET', '/api/api-keys')).body,
    rows: (await gateway.logs()).length,
  };
  await gateway.stopService();
  return { gateway, masterKey, before };
}

const shownAccount = ({ account_id, email, status }: Record<string, string>) => ({ account_id, email, status });

test('moves a history to EventStoreDB and back with the same data and positions', SLOW, async () => {
  const { gateway, masterKey, before } = await usedEmbeddedFolder();
  const { folder, provider } = gateway;
  await using server = await startFakeEventStore();
  const vault = { SVC_ENCRYPTION_KEY: masterKey };
  const there = { ...vault, SVC_EVENTSTORE_URL: server.url };
  const file = join(folder, 'history.ndjson');
  const events = historyIn(join(folder, 'log.sqlite'));

  const exported = await svc(folder, vault, 'export', file);
  expect(exported.stderr).toEqual([]);
  expect(exported.stdout.at(-1)).toMatch(
    new RegExp(`^${events.length} events and \\d+ keys are in ${file}; each chain of hashes is intact$`),
  );
  const imported = await svc(folder, there, 'import', file);
  expect(imported).toMatchObject({ exitCode: 0, stderr: [] });
  expect(imported.stdout).toContainEqual(`100 % (${events.length} of ${events.length} events)`);
  expect(imported.stdout.at(-1)).toMatch(/ events and \d+ keys are written, read back and the same/);

  const service = serve({ folder, provider, env: there });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const url = await service.listening();
  const { call: get } = managementApi(url);
  expect((await get('GET', '/api/accounts')).accounts.map(shownAccount)).toEqual(before.accounts);
  expect(await get('GET', '/api/api-keys')).toEqual(before.keys);
  expect((await get('GET', '/api/request-logs')).requests).toHaveLength(before.rows);
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5.1', input: 'hello', stream: false }),
  });
  expect(response.status).toBe(200);
  await response.text();
  service.signal('SIGTERM');
  expect(await service.ended).toMatchObject({ exitCode: 0 });
  const moved = historyIn(join(folder, 'mirror.sqlite'));
  expect(moved.slice(0, events.length)).toEqual(events);

  const [again, home] = [join(folder, 'again.ndjson'), join(folder, 'home')];
  expect(await svc(folder, there, 'export', again)).toMatchObject({ exitCode: 0 });
  expect(await svc(home, vault, 'import', again)).toMatchObject({ exitCode: 0, stderr: [] });
  const back = historyIn(join(home, 'log.sqlite'));
  expect(back.slice(0, events.length)).toEqual(events);
  expect(back.map(({ type }) => type).slice(events.length)).toContain('RequestCompleted');
});

test('continues an import that was killed', SLOW, async () => {
  const { gateway, masterKey } = await usedEmbeddedFolder();
  const { folder } = gateway;
  await using server = await startFakeEventStore();
  const there = { SVC_ENCRYPTION_KEY: masterKey, SVC_EVENTSTORE_URL: server.url };
  const file = join(folder, 'history.ndjson');
  await svc(folder, { SVC_ENCRYPTION_KEY: masterKey }, 'export', file);
  server.nextAppends(...Array.from({ length: 5 }, () => undefined), { isWritten: true, end: 'never' });
  const first = serve({ folder, env: there, command: [process.execPath, 'src/start.mjs', 'import', file] });
  await expect.poll(() => server.calls.get('Append') ?? 0, { timeout: 40_000 }).toBeGreaterThanOrEqual(6);
  await first.kill();
  const second = await svc(folder, there, 'import', file);
  expect(second).toMatchObject({ exitCode: 0, stderr: [] });
  expect(second.stdout.at(-1)).toMatch(/ events \(\d+ were there before\) and \d+ keys are written, read back/);
  expect(historyIn(join(folder, 'mirror.sqlite'))).toEqual(historyIn(join(folder, 'log.sqlite')));
});

test('refuses in one line to transfer with a wrong file, a wrong key or a running service', SLOW, async () => {
  const { gateway, masterKey } = await usedEmbeddedFolder();
  const { folder } = gateway;
  const vault = { SVC_ENCRYPTION_KEY: masterKey };
  const file = join(folder, 'history.ndjson');
  await svc(folder, vault, 'export', file);
  await using server = await startFakeEventStore();
  const wrong = { SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'), SVC_EVENTSTORE_URL: server.url };
  const [missing, keyless] = [join(folder, 'nothing'), { SVC_EVENTSTORE_URL: server.url }];
  const refused: readonly [Environment, string[], RegExp][] = [
    [vault, ['export', file], /already exists\. Name another file\.$/],
    [vault, ['import', missing], /nothing does not exist$/],
    [wrong, ['import', file], /wrapped by another master key/],
    [keyless, ['import', file], /SVC_ENCRYPTION_KEY/],
  ];
  for (const [env, args, reason] of refused) {
    const { exitCode, stderr } = await svc(folder, env, ...args);
    expect([exitCode, stderr]).toEqual([1, [expect.stringMatching(reason)]]);
  }
  rmSync(file);
  await using service = serve({ folder, env: vault });
  await service.listening();
  const { exitCode, stderr } = await svc(folder, vault, 'export', file);
  expect([exitCode, stderr]).toEqual([1, [expect.stringContaining('in use')]]);
  expect(existsSync(file)).toBe(false);
  expect(readFileSync(join(folder, 'log.sqlite')).length).toBeGreaterThan(0);
});
