import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { openCluster } from '../nodes/cluster.ts';
import { managementApi } from './support/managementApi.ts';
import { type ServeOptions, type ServiceProcess, serve } from './support/serve.ts';
import { requestBody } from './support/stage.ts';

// Two processes over one data folder would each decide from a state that lacks the changes of the other one.

vi.setConfig({ testTimeout: 60_000 });

const CLI = 'src/start.mjs';
/** Bounds a process that wrongly goes on. */
const TIMEOUT = { timeoutMs: 15_000 };
const inUse = [expect.stringMatching(/^\S+ is in use by another svc process\. Stop it, or set SVC_DATA_DIR\.$/)];

function launch(options: ServeOptions): ServiceProcess {
  const service = serve(options);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
}

async function runningService(env: Readonly<Record<string, string>> = {}) {
  const folder = await tempDir('second');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const first = launch({ folder: folder.path, env });
  const api = managementApi(await first.listening());
  return { folder: folder.path, first, api, lock: join(folder.path, 'lock.sqlite') };
}

/** Runs `svc` once with these arguments. */
const run = (folder: string, ...args: readonly string[]) =>
  launch({ folder, ...TIMEOUT, command: [process.execPath, CLI, ...args] }).ended;

const deleteLock = (lock: string) => {
  for (const suffix of ['', '-journal']) rmSync(lock + suffix, { force: true });
};

test('refuses a second process after lock.sqlite was deleted, and keeps the first one running', async () => {
  const { folder, first, api, lock } = await runningService();
  deleteLock(lock);
  expect(await run(folder, 'serve')).toMatchObject({ exitCode: 1, stdout: [], stderr: inUse });
  // The first one locks the file again, so that also a version that knows no other lock is kept out.
  await vi.waitUntil(() => isLocked(lock), { timeout: 15_000 });
  expect(await run(folder, 'serve')).toMatchObject({ exitCode: 1, stdout: [], stderr: inUse });
  const { key } = await api.call('POST', '/api/api-keys', { name: 'still works' });
  expect(key).toMatch(/^sk-/);
  first.signal('SIGTERM');
  expect(await first.ended).toMatchObject({ exitCode: 0, stderr: [] });
  const next = launch({ folder });
  await next.listening();
});

test('refuses a command that writes after lock.sqlite was deleted, and runs one that only reads', async () => {
  const { folder, lock } = await runningService();
  for (const command of [['rebuild'], ['reset-password'], ['export', join(folder, 'history.ndjson')]]) {
    deleteLock(lock);
    expect(await run(folder, ...command), command[0]).toMatchObject({ exitCode: 1, stderr: inUse });
  }
  deleteLock(lock);
  expect(await run(folder, 'rebuild', '--compare')).toMatchObject({
    exitCode: 0,
    stdout: expect.arrayContaining([expect.stringMatching(/^no difference/)]),
  });
});

test('refuses a second process after lock.sqlite and the vault were deleted', async () => {
  const { folder, lock } = await runningService();
  deleteLock(lock);
  rmSync(join(folder, 'vault.sqlite'));
  expect(await run(folder, 'serve')).toMatchObject({
    exitCode: 1,
    stdout: [],
    stderr: [
      expect.stringMatching(/vault\.sqlite is missing or empty, but the event log has events|is in use by another/),
    ],
  });
});

test.each(['log.sqlite', 'vault.sqlite'])(
  'refuses requests and changes while %s is missing, until it is back',
  async (name) => {
    const { folder, first, api } = await runningService();
    const url = await first.listening();
    const path = join(folder, name);
    const problem = async () =>
      (await api.call('GET', '/api/status')).problems.find(
        ({ code }: { code: string }) => code === 'data_file_missing',
      );
    const statuses = async () => {
      const post = (to: string, body: object) =>
        fetch(url + to, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const [request, change] = [
        await post('/v1/responses', requestBody()),
        await post('/api/api-keys', { name: 'while it is missing' }),
      ];
      return [request.status, change.status];
    };
    renameSync(path, `${path}.moved`);
    await vi.waitUntil(problem, { timeout: 15_000 });
    expect(await problem()).toMatchObject({ subject: name, cause: expect.stringContaining(path) });
    const { error } = (await (
      await fetch(`${url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(requestBody()),
      })
    ).json()) as { error: { code: string } };
    expect([await statuses(), error.code]).toEqual([[503, 503], 'log_unavailable']);
    renameSync(`${path}.moved`, path);
    await vi.waitUntil(async () => !(await problem()), { timeout: 15_000 });
    // Without an account a request is still 503, for another reason.
    expect((await statuses())[1]).toBe(200);
  },
);

test('starts at once after kill -9, also when lock.sqlite had been deleted', async () => {
  const { folder, first, lock } = await runningService();
  deleteLock(lock);
  await first.kill();
  const next = launch({ folder });
  await next.listening();
});

test('names the other process while it holds a lock file that replaced ours', async () => {
  const { folder, api, lock } = await runningService();
  deleteLock(lock);
  const thief = await takeLock(lock);
  const problem = async () =>
    (await api.call('GET', '/api/status')).problems.find(({ code }: { code: string }) => code === 'lock_file_replaced');
  await vi.waitUntil(problem, { timeout: 15_000 });
  expect(await problem()).toMatchObject({
    cause: expect.stringContaining(lock),
    remedy: expect.stringContaining('Stop'),
  });
  await thief.release();
  await vi.waitUntil(async () => !(await problem()), { timeout: 15_000 });
  expect(await run(folder, 'serve')).toMatchObject({ exitCode: 1, stdout: [], stderr: inUse });
});

test('refuses a second process over EventStoreDB after lock.sqlite was deleted', async () => {
  const cluster = await openCluster();
  const node = await cluster.node('a');
  const folder = await cluster.folderOf('a');
  deleteLock(join(folder, 'lock.sqlite'));
  expect(await cluster.command('a', 'serve')).toMatchObject({ exitCode: 1, stdout: [], stderr: inUse });
  expect(await node.ask()).toBeGreaterThan(0);
  await node.service.kill();
  deleteLock(join(folder, 'lock.sqlite'));
  await cluster.inProcessNode('a');
});

const UNSHARE = ['unshare', '--user', '--map-root-user', '--pid', '--fork'];
const canUnshare = spawnSync(UNSHARE[0] as string, [...UNSHARE.slice(1), 'true']).status === 0;

test.skipIf(!canUnshare)('refuses a second process that sees other process ids, as in another container', async () => {
  const { folder, lock } = await runningService();
  const other = () => launch({ folder, ...TIMEOUT, command: [...UNSHARE, process.execPath, CLI, 'serve'] }).ended;
  expect(await other()).toMatchObject({ exitCode: 1, stdout: [], stderr: inUse });
  deleteLock(lock);
  expect(await other()).toMatchObject({ exitCode: 1, stdout: [], stderr: inUse });
  await vi.waitUntil(() => existsSync(lock), { timeout: 15_000 });
});

/** Locks a file as svc locks it, in a process of its own. */
async function takeLock(path: string) {
  const program = `
    const { DatabaseSync } = require('node:sqlite');
    const lock = new DatabaseSync(process.argv[1], { timeout: 0 });
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    console.log('listening on http://locked/');
    setInterval(() => {}, 60_000);`;
  const child = launch({ folder: '/tmp', command: [process.execPath, '-e', program, path] });
  await child.listening();
  return { release: () => child.kill() };
}

/** Whether a process has an exclusive lock on the file. */
function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const program = `
    const { DatabaseSync } = require('node:sqlite');
    new DatabaseSync(process.argv[1], { timeout: 0 }).exec('BEGIN EXCLUSIVE');`;
  return spawnSync(process.execPath, ['-e', program, path]).status !== 0;
}
