import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../test/e2e/support/tempDir.ts';
import { aCheckout, setFolderModes } from '../../test/support/checkout.ts';
import { startFakeEventStore } from '../../test/support/eventstore/fakeEventStore.ts';

/** Starting processes takes long on a busy machine. */
const SLOW = { timeout: 60_000 };

async function stage() {
  const { path, start } = aCheckout();
  const folder = await tempDir('compiled');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const [temporary, data] = [join(folder.path, 'tmp'), join(folder.path, 'data')];
  mkdirSync(temporary);
  return {
    temporary,
    data,
    path,
    inCheckout: join(path, 'node_modules/.svc-compiled'),
    inData: join(data, '.svc-compiled'),
    /** Runs a command that writes nothing else. Root obeys permissions only without its capabilities. */
    async run() {
      const limits = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
      const [program = '', ...args] = [...limits, process.execPath, start, 'help'];
      const env = { PATH: process.env.PATH, TMPDIR: temporary, SVC_DATA_DIR: data };
      const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
      const [exitCode] = await once(child, 'exit');
      expect(exitCode).toBe(0);
    },
  };
}

const isUsed = (folder: string) => existsSync(folder) && readdirSync(folder).length > 0;

test('compiled code is cached in the checkout, for this user alone, and not in a folder of others', SLOW, async () => {
  const { run, inCheckout, temporary, data } = await stage();
  await run();
  expect(isUsed(inCheckout)).toBe(true);
  expect(statSync(inCheckout).mode & 0o777).toBe(0o700);
  expect([readdirSync(temporary), existsSync(data)]).toEqual([[], false]);
});

test('compiled code is cached in the data folder where the checkout cannot be written', SLOW, async () => {
  const { run, path, inCheckout, inData, data, temporary } = await stage();
  setFolderModes(path, 0o555);
  await run();
  // The first start makes the data folder later.
  expect([existsSync(data), readdirSync(temporary)]).toEqual([false, []]);
  mkdirSync(data, { mode: 0o700 });
  await run();
  expect([isUsed(inData), existsSync(inCheckout)]).toEqual([true, false]);
});

test('a cache that another user can write to is not used', SLOW, async () => {
  const { run, inCheckout, inData, data } = await stage();
  mkdirSync(inCheckout);
  chmodSync(inCheckout, 0o777);
  mkdirSync(data, { mode: 0o700 });
  await run();
  expect([isUsed(inCheckout), isUsed(inData)]).toEqual([false, true]);
});

test('after an installation no thread of the first start loads the TypeScript compiler', {
  timeout: 180_000,
}, async () => {
  const { path, start } = aCheckout();
  const { url, ...store } = await startFakeEventStore();
  onTestFinished(() => store[Symbol.asyncDispose]());
  const { scripts } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const [node, ...postinstall] = scripts.postinstall.split(' ');
  expect([node, ...postinstall.filter(isOption)]).toEqual(['node', ...scripts.start.split(' ').filter(isOption)]);
  const { PATH } = process.env;
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    spawn(process.execPath, args, { cwd: path, env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const installed = run(postinstall);
  installed.stderr?.pipe(process.stderr);
  expect(await once(installed, 'exit')).toEqual([0, null]);

  const service = run([...postinstall.filter(isOption), start, 'serve'], {
    NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
    SVC_DATA_DIR: join(path, 'data'),
    SVC_PORT: '0',
    SVC_OAUTH_CALLBACK_PORT: '0',
    SVC_EVENTSTORE_URL: url,
    SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    SVC_UPSTREAM_BASE_URL: 'http://127.0.0.1:9/backend-api',
  });
  const debug = text(service.stderr as Readable);
  const ended = once(service, 'exit');
  for await (const line of createInterface({ input: service.stdout as Readable })) {
    if (line.includes('listening on')) service.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
  const lines = await debug;
  const filesOf = (pattern: RegExp) => [...lines.matchAll(pattern)].map(([, file]) => basename(file ?? ''));
  const threads = ['mirrorWorker', 'drainWorker', 'writer', 'readModelsWorker'].map((name) =>
    expect.stringMatching(new RegExp(`\\.${name}\\.mjs$`)),
  );
  expect(filesOf(/V8 code cache for ESM (\S+\.mjs) was accepted/g)).toEqual(
    expect.arrayContaining(['serve.mjs', ...threads]),
  );
  // Nor a source that the bundle should have: all but those of the dashboard, which are compiled too.
  expect(filesOf(/(?:no transpile cache|retrieving transpile cache) for StrippedTypeScript (\S+\.ts)/g)).toEqual([
    'sources.ts',
  ]);
  expect(filesOf(/no transpile cache for StrippedTypeScript (\S+\.ts)/g)).toEqual([]);
});

const isOption = (word: string) => word.startsWith('--');
