import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { startGateway } from '../support/gateway.ts';
import { mountReadOnly, whyNoMount } from './support/fullDisk.ts';
import { type ServeOptions, serve } from './support/serve.ts';

// Every test starts the service at least once.
vi.setConfig({ testTimeout: 60_000 });

// A start that cannot succeed exits with 1 and prints why, in lines that an operator can act on, without a stack trace.

async function emptyFolder(): Promise<string> {
  const folder = await tempDir('refused');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

/** Starts the service and expects it to exit with 1. @returns the lines that it printed to stderr */
async function refusedStart(options: ServeOptions): Promise<readonly string[]> {
  const service = serve(options);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const { exitCode, stdout, stderr } = await service.ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: [] });
  return stderr;
}

/** A folder in which a service has run: in this process, because that is faster. */
async function usedFolder(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await emptyFolder();
  const gateway = await startGateway({ accounts: 0, folder, env });
  await gateway.stop();
  return folder;
}

async function startAndStop(options: ServeOptions): Promise<void> {
  const service = serve(options);
  onTestFinished(() => service[Symbol.asyncDispose]());
  await fetch(`${await service.listening()}/health`);
  service.signal('SIGTERM');
  expect(await service.ended).toMatchObject({ exitCode: 0, stderr: [] });
}

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');

test.skipIf(whyNoMount())('says that the file system of the data folder is read-only', async () => {
  const folder = await usedFolder();
  mountReadOnly(folder);
  const remedy = /cannot be .*\. Its file system is read-only: mount it writable, then start svc again\.$/;
  expect(await refusedStart({ folder })).toEqual([expect.stringMatching(remedy)]);
  expect(await refusedStart({ folder: join(folder, 'data') })).toEqual([expect.stringMatching(remedy)]);
});

test('refuses a second service on the same folder and leaves the first one running', async () => {
  const folder = await emptyFolder();
  const first = serve({ folder });
  onTestFinished(() => first[Symbol.asyncDispose]());
  const url = await first.listening();
  expect(await refusedStart({ folder })).toEqual([
    expect.stringMatching(/is in use by another svc process\. Stop it, or/),
  ]);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  first.signal('SIGTERM');
  expect(await first.ended).toMatchObject({ exitCode: 0, stderr: [] });
});

test('refuses an SVC_ENCRYPTION_KEY that is not the one of the folder', async () => {
  const folder = await usedFolder({ SVC_ENCRYPTION_KEY: keyOf(1) });
  const refusal = await refusedStart({ folder, env: { SVC_ENCRYPTION_KEY: keyOf(2) } });
  expect(refusal).toEqual([expect.stringMatching(/vault\.sqlite was encrypted with another key\. Restore the key/)]);
  expect(refusal.join()).not.toContain(keyOf(2));
  await startAndStop({ folder, env: { SVC_ENCRYPTION_KEY: keyOf(1) } });
});

test('refuses a folder without its key file and creates no new key', async () => {
  const folder = await usedFolder();
  rmSync(join(folder, 'master.key'));
  expect(await refusedStart({ folder })).toEqual([
    expect.stringMatching(/master\.key is missing, .* Restore that file/),
  ]);
  expect(existsSync(join(folder, 'master.key'))).toBe(false);
});

test('prints one line for each invalid environment variable', async () => {
  const env = {
    SVC_PORT: '99999',
    SVC_DRAIN_SECONDS: 'soon',
    SVC_UPSTREAM_BASE_URL: 'ftp://example.com',
    FIREWALL_TRUSTED_PROXY_CIDRS: '10.0.0.0/40',
  };
  const lines = await refusedStart({ folder: await emptyFolder(), env });
  expect(lines.toSorted().map((line) => line.split(':')[0])).toEqual(Object.keys(env).toSorted());
});

test('prints one line for each mistake in SVC_PRICES_FILE', async () => {
  const folder = await emptyFolder();
  const env = { SVC_PRICES_FILE: join(folder, 'prices.json') };
  expect(await refusedStart({ folder, env })).toEqual([expect.stringMatching(/^SVC_PRICES_FILE .*no such file/)]);
  writeFileSync(env.SVC_PRICES_FILE, '{"since": ');
  expect(await refusedStart({ folder, env })).toEqual([expect.stringMatching(/^SVC_PRICES_FILE .*is not JSON/)]);
  const listed = { model: 'm', input: 1, output: 1 };
  const models = [{ ...listed, input: -1 }, { ...listed, cached: 1 }, { ...listed, output: '3' }, { model: 'a b' }];
  writeFileSync(env.SVC_PRICES_FILE, JSON.stringify({ since: 'soon', models }));
  const lines = await refusedStart({ folder, env });
  for (const field of ['since', 'models.0.input', 'models.1', 'models.2.output', 'models.3.model', 'models.3.input']) {
    expect(lines, field).toContainEqual(expect.stringContaining(`prices.json: ${field}: `));
  }
  writeFileSync(env.SVC_PRICES_FILE, JSON.stringify({ since: '2026-11-21', models: [listed, listed] }));
  expect(await refusedStart({ folder, env })).toEqual([expect.stringContaining('prices.json: m is listed twice')]);
});

test('refuses an invalid SVC_ENCRYPTION_KEY without printing it', async () => {
  const lines = await refusedStart({ folder: await emptyFolder(), env: { SVC_ENCRYPTION_KEY: 'my-secret' } });
  expect(lines).toEqual([expect.stringContaining('SVC_ENCRYPTION_KEY must be 32 random bytes')]);
  expect(lines.join()).not.toContain('my-secret');
});

test('refuses a port that is in use, in one line that names it', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const lines = await refusedStart({ folder: await emptyFolder(), env: { SVC_PORT: String(port) } });
  expect(lines).toEqual([expect.stringContaining(`127.0.0.1:${port}`)]);
});

test('refuses a data folder that is a file, in one line that names it', async () => {
  const path = join(await emptyFolder(), 'data');
  writeFileSync(path, 'not a folder');
  expect(await refusedStart({ folder: path })).toEqual([expect.stringContaining(path)]);
});

test.each([
  [
    'log.sqlite',
    (path: string) => writeFileSync(path, randomBytes(9_000)),
    /damaged, or not a file of svc: .+ (r|R)estore/,
  ],
  ['log.sqlite', (path: string) => mkdirSync(path), /cannot be opened: it is a folder\. .* (r|R)estore/],
  [
    'vault.sqlite',
    (path: string) => writeFileSync(path, randomBytes(9_000)),
    /damaged, or not a file of svc: .+ (r|R)estore/,
  ],
])('refuses an invalid %s in one line that names it and says what to do', async (name, spoil, problem) => {
  const folder = await usedFolder();
  const path = join(folder, name);
  rmSync(path);
  spoil(path);
  const refusal = await refusedStart({ folder });
  expect(refusal).toEqual([expect.stringMatching(problem)]);
  expect(refusal).toEqual([expect.stringContaining(path)]);
});

test('rebuilds a read model file that is not a database', async () => {
  const folder = await usedFolder();
  writeFileSync(join(folder, 'readmodels.sqlite'), randomBytes(9_000));
  await startAndStop({ folder });
});

const oldNode = findOldNode();

test.skipIf(!oldNode)('refuses a Node below 24 before it parses TypeScript', async () => {
  const folder = await emptyFolder();
  const lines = await refusedStart({ folder, command: [oldNode ?? '', 'src/start.mjs', 'serve'] });
  expect(lines).toEqual([
    expect.stringMatching(/^svc needs Node 24\.\d+ or later, but this is \d+\.\d+\.\d+\. Install Node 24/),
  ]);
});

/** A Node below 24 on the PATH, if there is one. */
function findOldNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders
    .map((folder) => join(folder, 'node'))
    .find((path) => {
      const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
      return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1] ?? 24) < 24;
    });
}
