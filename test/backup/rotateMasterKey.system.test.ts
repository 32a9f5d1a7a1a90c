import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { managementApi } from '../durability/support/managementApi.ts';
import { sendRequest } from '../durability/support/sendRequest.ts';
import { serve } from '../durability/support/serve.ts';
import { requestBody } from '../durability/support/stage.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';
import { startProvider } from '../support/provider/provider.ts';
import { textResponse } from '../support/provider/scripts.ts';
import { createRandom } from '../support/random.ts';
import { mustRun, runSvc, startSvc } from './support/runSvc.ts';

vi.setConfig({ testTimeout: 300_000 });

const newKey = (): string => randomBytes(32).toString('base64');
const ROTATE = ['rotate-master-key'] as const;
const KILLS = 5;

async function aProvider() {
  const provider = await startProvider({ maxReceived: 10 });
  onTestFinished(() => provider.close());
  const accounts = Array.from({ length: 2 }, () => {
    const account = provider.addAccount();
    account.always(textResponse());
    return account;
  });
  return { provider, accounts };
}

async function aFolder(): Promise<string> {
  const folder = await tempDir('rotate');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

const ask = (url: string) => sendRequest({ url, path: '/v1/responses', body: requestBody() });

/** E-mail addresses are sealed, and tokens are sent to the provider: both need the keys of the vault. */
async function expectToServe(url: string, accounts: number): Promise<void> {
  expect(await ask(url)).toMatchObject({ ending: 'completed' });
  const listed = (await managementApi(url).call('GET', '/api/accounts')).accounts;
  expect(listed.filter(({ email }: { email: string }) => email.includes('@'))).toHaveLength(accounts);
}

test('a vault in the data folder is rotated from master.key to a new key, and back', async () => {
  const { provider, accounts } = await aProvider();
  const folder = await aFolder();
  await using first = serve({ folder, provider });
  await managementApi(await first.listening()).importAccount(accounts[0] as (typeof accounts)[number]);
  await first.stop();
  const next = newKey();
  const both = { SVC_ENCRYPTION_KEY_NEW: next };

  const missing = await runSvc(folder, ROTATE);
  expect([missing.exitCode, missing.stderr.join()]).toEqual([1, expect.stringContaining('Set SVC_ENCRYPTION_KEY_NEW')]);
  // Before the rotation, a service with both keys goes on with the present one.
  await using before = serve({ folder, provider, env: both });
  await expectToServe(await before.listening(), 1);
  const running = await runSvc(folder, ROTATE, both);
  expect(running.stderr.join()).toContain('in use by another svc process');
  await before.stop();

  const rotated = await mustRun(folder, ROTATE, both);
  expect(rotated.stdout.join('\n')).toMatch(
    /keys of the vault are wrapped with the new master key.*delete master\.key/s,
  );
  expect((await mustRun(folder, ROTATE, both)).stdout[0]).toMatch(/^All \d+ keys .* before\.$/);
  await using old = serve({ folder, provider });
  await expect(old.listening()).rejects.toThrow('was encrypted with another key');
  await using meanwhile = serve({ folder, provider, env: both });
  const url = await meanwhile.listening();
  await managementApi(url).importAccount(accounts[1] as (typeof accounts)[number]);
  await expectToServe(url, 2);
  await meanwhile.stop();

  const present = readFileSync(join(folder, 'master.key'), 'utf8').trim();
  rmSync(join(folder, 'master.key'));
  await using after = serve({ folder, provider, env: { SVC_ENCRYPTION_KEY: next } });
  await expectToServe(await after.listening(), 2);
  await after.stop();
  const wrong = await runSvc(folder, ROTATE, { SVC_ENCRYPTION_KEY: newKey(), SVC_ENCRYPTION_KEY_NEW: newKey() });
  expect([wrong.exitCode, wrong.stderr.join()]).toEqual([
    1,
    expect.stringContaining('neither the present nor the new'),
  ]);
  await mustRun(folder, ROTATE, { SVC_ENCRYPTION_KEY: next, SVC_ENCRYPTION_KEY_NEW: present });
  await using back = serve({ folder, provider, env: { SVC_ENCRYPTION_KEY: present } });
  await expectToServe(await back.listening(), 2);
});

test('a rotation that is killed leaves a vault that a service with both keys reads', async () => {
  const { provider, accounts } = await aProvider();
  const folder = await aFolder();
  await using first = serve({ folder, provider });
  await managementApi(await first.listening()).importAccount(accounts[0] as (typeof accounts)[number]);
  await first.stop();
  const random = createRandom(Date.now());
  const both = { SVC_ENCRYPTION_KEY_NEW: newKey() };
  const whole = await aFolder();
  cpSync(folder, whole, { recursive: true });
  const began = performance.now();
  await mustRun(whole, ROTATE, both);
  const tookMs = performance.now() - began;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const copy = await aFolder();
    cpSync(folder, copy, { recursive: true });
    await using command = startSvc(copy, ROTATE, both);
    await Promise.race([command.ended, delay(random.between(Math.round(tookMs / 2), Math.round(1.1 * tookMs)))]);
    await command.kill();
    await using service = serve({ folder: copy, provider, env: both });
    await expectToServe(await service.listening(), 1);
    await service.stop();
    await mustRun(copy, ROTATE, both);
  }
});

test('a vault in EventStoreDB is rotated while nodes with both keys run, and keys destroyed later stay destroyed', async () => {
  const { provider, accounts } = await aProvider();
  await using eventStore = await startFakeEventStore();
  const [present, next] = [newKey(), newKey()];
  const shared = { SVC_EVENTSTORE_URL: eventStore.url };
  const [one, two] = [await aFolder(), await aFolder()];
  const both = { ...shared, SVC_ENCRYPTION_KEY: present, SVC_ENCRYPTION_KEY_NEW: next };
  await using running = serve({ folder: one, provider, env: { ...both, SVC_NODE_ID: 'one' } });
  const url = await running.listening();
  const api = managementApi(url);
  const id = await api.importAccount(accounts[0] as (typeof accounts)[number]);
  await expectToServe(url, 1);
  const rotated = await mustRun(two, ROTATE, { ...both, SVC_NODE_ID: 'two' });
  expect(rotated.stdout.join('\n')).toContain('on every node');
  // Wrapped by the new key, because the node has seen that the rotation began.
  await api.importAccount(accounts[1] as (typeof accounts)[number]);
  await expectToServe(url, 2);
  expect((await mustRun(two, ROTATE, { ...both, SVC_NODE_ID: 'two' })).stdout[0]).toMatch(/^All \d+ keys/);
  await running.stop();

  const after = { ...shared, SVC_ENCRYPTION_KEY: next };
  await using old = serve({
    folder: one,
    provider,
    env: { ...shared, SVC_ENCRYPTION_KEY: present, SVC_NODE_ID: 'one' },
  });
  await expect(old.listening()).rejects.toThrow('was encrypted with another key');
  await using again = serve({ folder: one, provider, env: { ...after, SVC_NODE_ID: 'one' } });
  const againUrl = await again.listening();
  await expectToServe(againUrl, 2);
  await managementApi(againUrl).call('DELETE', `/api/accounts/${id}`);
  await again.stop();
  await using other = serve({ folder: two, provider, env: { ...after, SVC_NODE_ID: 'two' } });
  await expectToServe(await other.listening(), 1);
});
