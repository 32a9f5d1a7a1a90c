import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/e2e/support/tempDir.ts';

const run = promisify(execFile);
const cli = join(import.meta.dirname, '../cli.ts');

test.each([
  'serve',
  'rebuild',
  'rebuild --compare',
  'export FILE',
  'import FILE',
  'reset-password',
  'reset-password --totp',
  'outbox list',
  'outbox retry',
  'outbox export FILE',
  'accept-clock',
  'hold list',
  'accept-loss',
  'accept-loss --vault',
  'accept-loss --checkpoint-key',
])('svc %s stops at an unknown setting and changes nothing', async (command) => {
  await using folder = await tempDir('settings');
  const args = command.split(' ').map((arg) => (arg === 'FILE' ? join(folder.path, 'file') : arg));
  const env = { PATH: process.env.PATH, SVC_DATA_DIR: join(folder.path, 'data'), SVC_PROT: 'a secret' };
  const ended = await run(process.execPath, [cli, ...args], { env }).catch((error) => error);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(/SVC_PROT: is not a setting of svc\. The nearest one is SVC_PORT\.\n$/);
  expect(ended.stderr).not.toContain('secret');
  expect(await readdir(folder.path)).toEqual([]);
});
