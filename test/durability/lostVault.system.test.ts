import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { textResponse } from '../support/provider/scripts.ts';
import { sendRequest } from './support/sendRequest.ts';
import { serve } from './support/serve.ts';
import { openStage, requestBody, type Stage } from './support/stage.ts';

// Without its keys nothing that the log has sealed can be read again. A new vault in silence would show only as failing
// accounts.

vi.setConfig({ testTimeout: 180_000 });

const COMMAND = ['accept-loss', '--vault'];

const launch = (folder: string, ...args: readonly string[]) => launchWith({}, folder, ...args);

function launchWith(env: Readonly<Record<string, string>>, folder: string, ...args: readonly string[]) {
  const child = serve({ folder, env, timeoutMs: 20_000, command: [process.execPath, 'src/start.mjs', ...args] });
  onTestFinished(() => child[Symbol.asyncDispose]());
  return child.ended;
}

async function refusedStart(folder: string): Promise<string> {
  const { exitCode, stdout, stderr } = await launch(folder, 'serve');
  expect({ exitCode, stdout, lines: stderr.length }).toEqual({ exitCode: 1, stdout: [], lines: 1 });
  return stderr[0] as string;
}

async function stoppedStage(accounts: number): Promise<Stage> {
  const stage = await openStage({ accounts });
  for (const { at } of stage.pool) at.always(textResponse());
  await stage.stop();
  return stage;
}

const statusOf = async (stage: Stage) => {
  const { accounts } = await stage.api.call('GET', '/api/accounts');
  return Object.fromEntries(
    accounts.map(({ account_id: id, status }: { account_id: string; status: string }) => [id, status]),
  );
};

const ask = async ({ url }: Stage) => (await sendRequest({ url, path: '/v1/responses', body: requestBody() })).status;

test.each<[string, (folder: string) => void, RegExp]>([
  [
    'is missing',
    (folder) => rmSync(join(folder, 'vault.sqlite')),
    /vault\.sqlite is missing or empty, but the event log/,
  ],
  ['is empty', (folder) => truncateSync(join(folder, 'vault.sqlite'), 0), /vault\.sqlite is missing or empty, but the/],
  [
    'is damaged',
    (folder) => truncateSync(join(folder, 'vault.sqlite'), 5_000),
    /vault\.sqlite is damaged, or not a file of svc/,
  ],
  ['has lost its master key', (folder) => rmSync(join(folder, 'master.key')), /master\.key is missing, and the vault/],
])('refuses a start whose vault %s, until a new one is accepted', async (_, lose, reason) => {
  const stage = await stoppedStage(2);
  const { folder } = stage;
  lose(folder);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const line = await refusedStart(folder);
    expect(line).toMatch(reason);
    expect(line).toMatch(/[Rr]estore .*svc accept-loss --vault/);
  }
  const { exitCode, stdout, stderr } = await launch(folder, ...COMMAND);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: [] });
  expect(stdout).toEqual(
    expect.arrayContaining([
      'Sign in to these 2 accounts again:',
      ...stage.pool.map(({ id }) => `  ${id}`),
      'svc can be started now.',
    ]),
  );

  await stage.start();
  expect(await statusOf(stage)).toEqual(Object.fromEntries(stage.pool.map(({ id }) => [id, 'deactivated'])));
  expect(await ask(stage)).toBe(503);
  const { events } = await stage.api.call('GET', '/api/history?type=VaultLossAccepted');
  expect(events).toMatchObject([{ type: 'VaultLossAccepted', subject: expect.anything() }]);
  await stage.api.call('POST', '/api/accounts/import?on_duplicate=replace', await authFile(stage));
  await vi.waitUntil(async () => (await ask(stage)) === 200, { timeout: 10_000 });
  await stage.stop();
  await stage.start();
  expect(await ask(stage)).toBe(200);
});

async function authFile({ pool }: Stage): Promise<FormData> {
  const form = new FormData();
  form.set('auth_json', new Blob([JSON.stringify(pool[0]?.at.authFile())]), 'auth.json');
  return form;
}

test('names the accounts whose keys an older vault lacks, and keeps those of the others', async () => {
  const stage = await stoppedStage(1);
  const { folder, provider } = stage;
  const [vault, backup] = [join(folder, 'vault.sqlite'), join(folder, 'vault.backup')];
  copyFileSync(vault, backup);
  await stage.start();
  const later = provider.addAccount();
  const laterId = await stage.api.importAccount(later);
  await stage.stop();
  copyFileSync(backup, vault);
  const line = await refusedStart(folder);
  expect(line).toContain(`${vault} lacks the keys of 1 of 2 accounts (${laterId}): it was lost, or is older`);
  const accepted = await launch(folder, ...COMMAND);
  expect(accepted).toMatchObject({ exitCode: 0, stderr: [] });
  expect(accepted.stdout).toEqual(['Sign in to this account again:', `  ${laterId}`, 'svc can be started now.']);
  expect(readdirSync(folder).filter((name) => name.includes('.lost-'))).toEqual([]);
  await stage.start();
  expect(await statusOf(stage)).toEqual({ [stage.pool[0]?.id as string]: 'active', [laterId]: 'deactivated' });
  expect(await ask(stage)).toBe(200);
});

test.each<[string, (folder: string) => Record<string, string>, RegExp]>([
  ['SVC_ENCRYPTION_KEY', () => ({ SVC_ENCRYPTION_KEY: 'ab'.repeat(32) }), /another key than SVC_ENCRYPTION_KEY\./],
  [
    'master.key',
    (folder) => {
      writeFileSync(join(folder, 'master.key'), 'ab'.repeat(32));
      return {};
    },
    /another key than the one in master\.key\./,
  ],
])('sets no vault aside that was encrypted with another key than %s', async (_, giveOther, reason) => {
  const stage = await stoppedStage(1);
  const { folder } = stage;
  const key = readFileSync(join(folder, 'master.key'));
  const { exitCode, stdout, stderr } = await launchWith(giveOther(folder), folder, ...COMMAND);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: [] });
  expect(stderr.join('\n')).toMatch(reason);
  expect(stderr.join('\n')).toContain('Nothing was changed.');
  writeFileSync(join(folder, 'master.key'), key);
  await stage.start();
  expect(await ask(stage)).toBe(200);
});

test('changes nothing when no key is lost', async () => {
  const { folder } = await stoppedStage(1);
  expect(await launch(folder, ...COMMAND)).toMatchObject({
    exitCode: 0,
    stdout: ['The vault has the keys of all accounts, so nothing was changed.'],
    stderr: [],
  });
});
