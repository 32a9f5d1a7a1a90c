import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../src/app/config/config.ts';
import { importFromCodexLb } from '../src/app/importFrom/importFrom.ts';
import type { ReportItem } from '../src/app/importFrom/importReport.ts';
import type { StoredEvent } from '../src/eventLog/eventLog.ts';
import { codexLbFolder, codexLbKeys } from './support/codexLb/codexLbFolder.ts';
import { startFakeEventStore } from './support/eventstore/fakeEventStore.ts';
import { startGateway } from './support/gateway.ts';
import { textResponse } from './support/provider/scripts.ts';
import { recordedEvents } from './support/recordedEvents.ts';

/** Starting processes takes long on a busy machine. */
const SLOW = { timeout: 120_000 };

/** Windows that last now, whenever this runs. */
const IN_WINDOW = "UPDATE api_key_limits SET reset_at = strftime('%Y-%m-%d %H:%M:%f', 'now', '+6 hours');";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'data');
}

const options = { isDryRun: false, keepsActive: false, withRequests: false };
const importInto = (
  folder: string,
  source: { database: string; keyFile: string },
  changes: Partial<typeof options> = {},
  env: Record<string, string> = {},
) =>
  importFromCodexLb(
    { ...options, ...source, ...changes },
    readConfig({ SVC_DATA_DIR: folder, ...env }),
    () => undefined,
  );

/** Runs the command line in a process of its own. */
function svc(folder: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const cli = fileURLToPath(new URL('../src/app/cli.ts', import.meta.url));
  const child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, SVC_DATA_DIR: folder } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

/** Runs the import with the request log and kills it as soon as the log has a number of events. */
async function killImport(
  folder: string,
  source: { database: string; keyFile: string },
  events: number,
): Promise<void> {
  const cli = fileURLToPath(new URL('../src/app/cli.ts', import.meta.url));
  const args = [cli, 'import-from', 'codex-lb', '--database', source.database, '--key', source.keyFile, '--requests'];
  const child = spawn(process.execPath, args, { env: { ...process.env, SVC_DATA_DIR: folder } });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const count = () => {
    try {
      using log = new DatabaseSync(join(folder, 'log.sqlite'), { readOnly: true });
      return (log.prepare('SELECT count(*) AS events FROM events').get() as { events: number }).events;
    } catch {
      // The file is being made.
      return 0;
    }
  };
  await vi.waitUntil(() => count() >= events, { timeout: 60_000, interval: 1 });
  child.kill('SIGKILL');
  await ended;
}

const readEvents = async (folder: string) => (await recordedEvents(folder)) as unknown as StoredEvent[];

/** Names, sizes, times and contents of all files in a folder. */
const filesIn = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).mtimeMs, createHash('sha256').update(readFileSync(path)).digest('hex')];
    });

const outcomes = (items: readonly ReportItem[], kind: ReportItem['kind']) =>
  items.filter((item) => item.kind === kind).map(({ name, outcome }) => `${name}: ${outcome}`);

test('keys of codex-lb go on working, with their limits and what is used of them', SLOW, async () => {
  const folder = emptyFolder();
  await importInto(folder, codexLbFolder(IN_WINDOW));
  const gateway = await startGateway({ accounts: 0, folder, provider: { acceptsAnyToken: true } });
  onTestFinished(() => gateway.stop());
  for (const account of gateway.provider.accounts) account.always(textResponse({ text: 'Hello' }));
  const ask = async (key: string, model = 'gpt-5.5') =>
    (
      await fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'Say hi' }),
      })
    ).status;
  const limitsOf = async (name: string) => {
    const { body } = await gateway.api('GET', '/api/api-keys');
    return body.find((key: { name: string }) => key.name === name).limits;
  };

  expect(await limitsOf('ci')).toMatchObject([
    { limit_type: 'total_tokens', limit_window: 'daily', max_value: 1_000_000, current_value: 322 },
    { limit_type: 'cost_usd', limit_window: 'weekly', max_value: 5 },
    { limit_type: 'output_tokens', limit_window: 'monthly', model_filter: 'gpt-5.5', current_value: 6 },
    { limit_type: 'input_tokens', limit_window: 'weekly', current_value: 314 },
  ]);
  expect(await ask(codexLbKeys.ci)).toBe(200);
  expect(await ask(codexLbKeys.sameName)).toBe(200);
  expect((await limitsOf('ci'))[0].current_value).toBeGreaterThan(322);
  expect(await ask(codexLbKeys.models, 'gpt-5.4')).toBe(403);
  expect(await ask(codexLbKeys.enforcedModel, 'gpt-5.4')).toBe(403);
  for (const key of ['disabled', 'expired', 'foreignLimits', 'scoped', 'enforcedEffort'] as const) {
    expect(await ask(codexLbKeys[key]), key).toBe(401);
  }
  expect(await ask('sk-clb-of-nobody')).toBe(401);
  const { body } = await gateway.api('GET', '/api/accounts');
  expect(body.accounts.map((account: { email: string; status: string }) => [account.email, account.status])).toEqual([
    [expect.stringContaining('@example.com'), 'active'],
    [expect.stringContaining('@example.com'), 'paused'],
    [expect.stringContaining('@example.com'), 'active'],
  ]);
});

/** Rows beside the four that the real program logged. */
const MORE_REQUESTS = `
  INSERT INTO request_logs (id, request_id, requested_at, account_id, model, reasoning_effort, transport, input_tokens,
    output_tokens, status, error_code, error_message, latency_ms, request_kind, deleted_at)
  VALUES
    (11, 'resp_a', '2026-11-27 10:00:00', NULL, 'gpt-5.5', 'high', 'websocket', 70, 30, 'success', NULL, NULL, 100, 'normal', NULL),
    (12, 'RESP_A', '2026-11-27 10:00:01', NULL, 'gpt-5.5', NULL, 'http', NULL, NULL, 'error', 'no_accounts', 'None left', -5, 'normal', NULL),
    (13, 'resp_b', '2026-11-27 10:00:02', NULL, 'gpt-5.5', NULL, 'http', NULL, NULL, 'cancelled', NULL, NULL, NULL, 'normal', NULL),
    (14, 'resp_c', '2026-11-27 10:00:03', NULL, 'gpt-5.5', NULL, 'http', 9, 9, 'success', NULL, NULL, 9, 'limit_warmup', NULL),
    (15, 'resp_d', '2026-11-27 10:00:04', NULL, 'gpt-5.5', NULL, 'http', 9, 9, 'success', NULL, NULL, 9, 'normal', '2026-11-27')`;
test(
  'takes over the request log on demand, marked as imported, once, without counting it in limits',
  SLOW,
  async () => {
    const [folder, source] = [emptyFolder(), codexLbFolder(`${IN_WINDOW} ${MORE_REQUESTS}`)];
    const requestsIn = ({ items }: { items: readonly ReportItem[] }) => outcomes(items, 'requests');
    expect(requestsIn(await importInto(folder, source))).toEqual(['7 requests: left']);
    const everything = { withRequests: true };
    const reported = ['7 requests: changed', '1 warm-up requests: left', '1 deleted requests: left'];
    expect(requestsIn(await importInto(folder, source, { ...everything, isDryRun: true }))).toEqual(reported);
    expect(requestsIn(await importInto(folder, source, everything))).toEqual(reported);
    const again = await importInto(folder, source, everything);
    expect(again.isChange).toBe(false);
    expect(requestsIn(again)[0]).toBe('7 requests: there');
    const [last] = (await readEvents(folder)).filter(({ type }) => type === 'ImportBegun').slice(-1);
    expect(last?.data).toMatchObject({ accounts: 0, apiKeys: 0, requests: 7 });

    const gateway = await startGateway({ accounts: 0, folder });
    onTestFinished(() => gateway.stop());
    const { body: log } = await gateway.api('GET', '/api/request-logs?transport=import%3Acodex-lb');
    expect(log.total).toBe(7);
    const byId = (id: string) => log.requests.find((entry: { request_id: string }) => entry.request_id.includes(id));
    const { body: keys } = await gateway.api('GET', '/api/api-keys');
    const ci = keys.find((key: { name: string }) => key.name === 'ci');
    const { body: accounts } = await gateway.api('GET', '/api/accounts');
    const served = byId('resp_ab2dfb5c838d4cb1bcc440af98cc4c18:codex-lb:1');
    expect(served).toMatchObject({
      ...{
        requested_at: '2026-11-28T08:26:48.523Z',
        transport: 'import:codex-lb',
        status: '200',
        client: 'node',
        route: '',
      },
      ...{
        api_key_id: ci.id,
        input_tokens: 78,
        output_tokens: 2,
        cost_usd: 0.00045,
        latency_ms: 18,
        first_byte_ms: 15,
      },
      ...{ attempts: 0, address: null, user_agent: null, owner: null },
    });
    expect(accounts.accounts.map(({ account_id }: { account_id: string }) => account_id)).toContain(served.account_id);
    expect(byId('resp_a:codex-lb:12')).toMatchObject({
      status: 'error',
      error_code: 'no_accounts',
      latency_ms: 0,
      tokens: null,
    });
    expect(byId('resp_b:codex-lb:13')).toMatchObject({ status: 'error', error_code: 'cancelled' });

    // By the id as codex-lb shows it, a part of it, and its beginning, which three have.
    for (const search of ['resp_ab2dfb5c838d4cb1bcc440af98cc4c18', 'b5c838d4cb1b', 'Resp_A']) {
      const { body: found } = await gateway.api('GET', `/api/request-logs?search=${search}`);
      expect([search, found.total]).toEqual([search, search === 'Resp_A' ? 3 : 1]);
    }
    const range = 'since=2026-11-27T00:00:00Z&until=2026-11-29T00:00:00Z';
    const { body: usage } = await gateway.api('GET', `/api/usage/breakdown?group_by=transport&${range}`);
    expect(usage.groups).toMatchObject([{ id: 'import:codex-lb', requests: 7, input_tokens: 78 * 3 + 80 + 70 }]);
    // What codex-lb had counted came over with the key, once: its requests add nothing.
    expect(ci.limits[0]).toMatchObject({ limit_type: 'total_tokens', current_value: 322 });

    const explained = await gateway.api('GET', `/api/requests/${encodeURIComponent(served.request_id)}/explain`);
    expect(explained).toMatchObject({ status: 404, body: { error: { code: 'request_imported' } } });
    expect(explained.body.error.message).toContain('codex-lb, which decided it');
    const { body: event } = await gateway.api('GET', `/api/history/${served.position}`);
    expect(event).toMatchObject({ type: 'RequestImported', actor: { kind: 'cli' } });
    await gateway.stop();

    const explain = await svc(folder, 'explain', served.request_id);
    expect(explain).toMatchObject({ code: 2, out: '' });
    expect(explain.err).toContain('was imported from codex-lb');
    const shown = await svc(folder, 'show', `request-${served.request_id}`);
    expect(shown.out, shown.err).toContain('import:codex-lb');
    const replayed = await svc(folder, 'replay');
    expect(replayed.code, replayed.err).toBe(0);
    expect(replayed.out).toContain('7 more requests were imported from another program');
    const verified = await svc(folder, 'verify');
    expect(verified.code, verified.out).toBe(0);
  },
);

test('keeps the source unchanged, also beside a write-ahead log, and imports what only that has', SLOW, async () => {
  const source = codexLbFolder();
  using writer = new DatabaseSync(source.database);
  writer.exec(
    "PRAGMA journal_mode = WAL; INSERT INTO api_firewall_allowlist VALUES ('10.9.9.9', '2026-11-28 08:00:00');",
  );
  const before = filesIn(dirname(source.database));
  expect(before.map(([name]) => name)).toContain('store.db-wal');
  const { items } = await importInto(emptyFolder(), source);
  expect(filesIn(dirname(source.database))).toEqual(before);
  expect(outcomes(items, 'allowed_ip')).toContain('10.9.9.9: imported');
});

test('a second import changes nothing, whatever was changed here meanwhile', SLOW, async () => {
  const folder = emptyFolder();
  const source = codexLbFolder(IN_WINDOW);
  await importInto(folder, source);
  const gateway = await startGateway({ accounts: 0, folder });
  const { body: keys } = await gateway.api('GET', '/api/api-keys');
  const { body: settings } = await gateway.api('GET', '/api/settings');
  const { body: accounts } = await gateway.api('GET', '/api/accounts');
  const [deleted] = keys;
  await gateway.api('DELETE', `/api/api-keys/${deleted.id}`);
  await gateway.api('DELETE', `/api/accounts/${accounts.accounts[0].account_id}`);
  await gateway.api('DELETE', '/api/firewall/ips/10.0.0.7');
  await gateway.api('PUT', '/api/settings', { ...settings, api_key_auth_enabled: false });
  await gateway.stop();
  const before = await readEvents(folder);

  const { items, isChange } = await importInto(folder, source);
  expect(isChange).toBe(false);
  expect(await readEvents(folder)).toEqual(before);
  expect(items.every(({ outcome }) => outcome === 'there' || outcome === 'left')).toBe(true);
  expect(items.flatMap(({ reasons }) => reasons)).toEqual(
    expect.arrayContaining([
      'It was deleted or replaced here.',
      'It was deleted here. Import its auth file to have it again.',
      'It was removed here.',
      'It was set here, to false, which stays.',
    ]),
  );
});

test('goes on after kill -9 at any point, and has each thing once', SLOW, async () => {
  // So many that none of the imports is over before it is killed.
  const addresses = Array.from({ length: 1_500 }, (_, index) => `('10.8.${index >> 8}.${index & 255}', '2026-11-28')`);
  const requests = `WITH RECURSIVE numbers (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < 3000)
    INSERT INTO request_logs (id, request_id, requested_at, model, status)
    SELECT n, 'resp_' || n, '2026-11-28 08:00:00', 'gpt-5.5', 'success' FROM numbers`;
  const source = codexLbFolder(`INSERT INTO api_firewall_allowlist VALUES ${addresses.join()}; ${requests};`);
  const contentOf = async (folder: string) =>
    (await readEvents(folder))
      .filter(({ type }) => type !== 'ImportBegun')
      .map(
        ({ type, data }) =>
          `${type} ${Object.entries(data as object).filter(([name]) => /^(name|ip|requestId)$/.test(name))}`,
      )
      .sort();
  const whole = emptyFolder();
  const everything = { withRequests: true };
  await importInto(whole, source, everything);
  const expected = await contentOf(whole);
  for (const killedAt of [1, 150, 1_700]) {
    const folder = emptyFolder();
    await killImport(folder, source, killedAt);
    expect((await contentOf(folder)).length).toBeLessThan(expected.length);
    expect((await importInto(folder, source, everything)).isChange).toBe(true);
    expect(await contentOf(folder)).toEqual(expected);
    expect((await importInto(folder, source, everything)).isChange).toBe(false);
  }
});

test('names the import in the history, before what it brings, under one correlation id', SLOW, async () => {
  const folder = emptyFolder();
  await importInto(folder, codexLbFolder());
  const [begun, ...others] = await readEvents(folder);
  expect(begun).toMatchObject({
    type: 'ImportBegun',
    data: { program: 'codex-lb', accounts: 3, apiKeys: 9, allowedIps: 3, requests: 0 },
    metadata: { actor: { kind: 'cli', command: 'import-from codex-lb' } },
  });
  expect(others.length).toBeGreaterThan(15);
  for (const { metadata } of others) expect(metadata.correlationId).toBe(begun?.metadata.correlationId);
});

test('a dry run reports the same and changes nothing, not even a data folder', SLOW, async () => {
  const [folder, source] = [emptyFolder(), codexLbFolder(IN_WINDOW)];
  const dry = await importInto(folder, source, { isDryRun: true });
  expect(readdirSync(dirname(folder))).toEqual([]);
  const real = await importInto(folder, source);
  expect(dry.items).toEqual(real.items);
  const before = await readEvents(folder);
  await importInto(folder, codexLbFolder("INSERT INTO api_firewall_allowlist VALUES ('10.9.9.9', '2026-11-28');"), {
    isDryRun: true,
  });
  expect(await readEvents(folder)).toEqual(before);
});

test('keys that svc cannot restrict as before are active only on demand', SLOW, async () => {
  const folder = emptyFolder();
  await importInto(folder, codexLbFolder(), { keepsActive: true });
  const events = await readEvents(folder);
  expect(events.filter(({ type }) => type === 'ApiKeyDeactivated')).toHaveLength(1);
});

test('a key that allows no model at all is never active', SLOW, async () => {
  const folder = emptyFolder();
  await importInto(folder, codexLbFolder("UPDATE api_keys SET allowed_models = '[]' WHERE name = 'models'"), {
    keepsActive: true,
  });
  const events = await readEvents(folder);
  expect(events.filter(({ type }) => type === 'ApiKeyDeactivated')).toHaveLength(2);
});

test('imports into EventStoreDB, once', SLOW, async () => {
  await using server = await startFakeEventStore();
  const [folder, source] = [emptyFolder(), codexLbFolder()];
  const env = { SVC_EVENTSTORE_URL: server.url, SVC_ENCRYPTION_KEY: '11'.repeat(32) };
  const everything = { withRequests: true };
  expect((await importInto(folder, source, everything, env)).isChange).toBe(true);
  expect((await importInto(folder, source, everything, env)).isChange).toBe(false);
  // Another node has the same log.
  expect((await importInto(emptyFolder(), source, everything, env)).isChange).toBe(false);
});

test.each<[name: string, source: () => { database: string; keyFile: string }, message: RegExp]>([
  [
    'a key of another installation',
    () => {
      const source = codexLbFolder();
      writeFileSync(source.keyFile, Buffer.alloc(32, 7).toString('base64url'));
      return source;
    },
    /does not open the tokens/,
  ],
  [
    'a file that is no key',
    () => {
      const source = codexLbFolder();
      writeFileSync(source.keyFile, 'secret');
      return source;
    },
    /is not a key of codex-lb/,
  ],
  ['a missing key', () => ({ ...codexLbFolder(), keyFile: '/nowhere/encryption.key' }), /cannot be read/],
  ['a missing database', () => ({ ...codexLbFolder(), database: '/nowhere/store.db' }), /There is no file/],
  [
    'a truncated database',
    () => {
      const source = codexLbFolder();
      truncateSync(source.database, 40_000);
      return source;
    },
    /is not an intact SQLite database/,
  ],
  [
    'a file that is no database',
    () => {
      const source = codexLbFolder();
      writeFileSync(source.database, 'not a database, but long enough to be read as one'.repeat(100));
      return source;
    },
    /is not an intact SQLite database/,
  ],
  [
    'an older schema',
    () => codexLbFolder("UPDATE alembic_version SET version_num = '20260312_010000_merge'"),
    /Start codex-lb 1\.24\.0 once on a copy/,
  ],
  [
    'a newer schema',
    () => codexLbFolder("UPDATE alembic_version SET version_num = '20991231_000000_add'"),
    /A newer svc may know it/,
  ],
  ['another database', () => codexLbFolder('DROP TABLE alembic_version'), /is not a database of codex-lb/],
  [
    'PostgreSQL',
    () => ({ ...codexLbFolder(), database: 'postgresql+asyncpg://codex@db/codex' }),
    /docs\/moving-in\.md#from-postgresql/,
  ],
  [
    'a row that codex-lb does not write',
    () => codexLbFolder("UPDATE api_keys SET key_hash = 'x' WHERE name = 'ci' AND last_used_at IS NOT NULL"),
    /of api_keys is not what codex-lb writes: key_hash/,
  ],
  [
    'a request that codex-lb does not write',
    () => codexLbFolder("UPDATE request_logs SET requested_at = 'yesterday' WHERE id = 3"),
    /Row 3 of request_logs is not what codex-lb writes: requested_at/,
  ],
  [
    'a number beyond what is exact',
    () => codexLbFolder('UPDATE api_key_limits SET max_value = 9223372036854775807'),
    /of api_key_limits is not what codex-lb writes: max_value/,
  ],
])('refuses %s before it changes anything', SLOW, async (_name, source, message) => {
  const folder = emptyFolder();
  await expect(importInto(folder, source())).rejects.toThrow(message);
  expect(readdirSync(dirname(folder))).toEqual([]);
});

test('imports databases of earlier revisions that lack newer columns', SLOW, async () => {
  const older = codexLbFolder(
    `DROP INDEX idx_accounts_delete_requested_at;
     ALTER TABLE accounts DROP COLUMN delete_requested_at;
     ALTER TABLE accounts DROP COLUMN alias;
     ALTER TABLE accounts DROP COLUMN routing_policy;
     DROP TABLE model_source_models; DROP TABLE model_sources;
     UPDATE alembic_version SET version_num = '20260630_000000_add_limit_warmup_staggered_idle'`,
  );
  const { items } = await importInto(emptyFolder(), older);
  expect(outcomes(items, 'account').every((line) => line.endsWith(': imported'))).toBe(true);
});

test('an account that svc has keeps its tokens', SLOW, async () => {
  const folder = emptyFolder();
  const source = codexLbFolder();
  await importInto(folder, source);
  const later = codexLbFolder(
    "UPDATE accounts SET status = 'paused'; UPDATE accounts SET last_refresh = '2027-01-01 00:00:00'",
  );
  const { items, isChange } = await importInto(folder, later);
  expect(isChange).toBe(false);
  expect(outcomes(items, 'account')).toHaveLength(3);
});

test('the command reports in lines and JSON, and refuses a data folder in use', SLOW, async () => {
  const [folder, { database, keyFile }] = [emptyFolder(), codexLbFolder(IN_WINDOW)];
  const args = ['import-from', 'codex-lb', '--database', database, '--key', keyFile];
  const json = await svc(folder, ...args, '--dry-run', '--json');
  expect(json.code, json.err).toBe(0);
  expect(JSON.parse(json.out)).toMatchObject({ program: 'codex-lb', dry_run: true, changed: true });
  const lines = await svc(folder, ...args);
  expect(lines.code, lines.err).toBe(0);
  expect(lines.out).toContain('Do not start codex-lb again');
  expect(lines.out).toContain('    svc does not restrict a key to accounts.');
  expect((await svc(folder, ...args)).out).toContain('nothing was changed');
  const gateway = await startGateway({ accounts: 0, folder });
  onTestFinished(() => gateway.stop());
  const refused = await svc(folder, ...args);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('stop it, import, and start it again');
  expect((await svc(folder, 'import-from', 'codex-lb', '--database', database)).code).toBe(2);
  expect((await svc(folder, 'import-from', 'other', '--database', database, '--key', keyFile)).code).toBe(2);
});
