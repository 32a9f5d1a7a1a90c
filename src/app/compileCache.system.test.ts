import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../test/e2e/support/tempDir.ts';
import { aCheckout, setFolderModes } from '../../test/support/checkout.ts';

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
