import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { codexLbFolder } from '../support/codexLb/codexLbFolder.ts';
import { startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { startGateway } from '../support/gateway.ts';
import { emptyFolder, IN_WINDOW, importInto, readEvents, SLOW } from './importStage.ts';

/** Runs the import with the request log and kills it as soon as the log has a number of events. */
async function killImport(
  folder: string,
  source: { database: string; keyFile: string },
  events: number,
): Promise<void> {
  const cli = fileURLToPath(new URL('../../src/start.mjs', import.meta.url));
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
