import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aCheckout } from '../../../test/support/checkout.ts';
import { aChangedFolder, filesIn } from '../past/pastFolder.support.ts';
import { BUNDLED, bundledCommandLine } from './bundledCommands.mjs';
import { makeBundle } from './makeBundle.ts';

/** Each of some twenty commands is a process. */
const SLOW = { timeout: 180_000 };

test('bundled commands print what the sources print, and change no file', SLOW, async () => {
  const { path, run } = checkout();
  const { folder, keyId, accountId } = await aChangedFolder();
  const lines = [
    ['show', `apiKey-${keyId}`, '--at', '9'],
    ['show', `account-${accountId}`, '--json', '--at', '9'],
    ['show', 'settings', '--json', '--at', '2'],
    ['show', 'no such thing'],
    ['show'],
    ['diff', 'settings', '--from', '1', '--to', '9', '--json'],
    ['diff', `apiKey-${keyId}`, '--from', '5', '--to', '9'],
    ['blame', `account-${accountId}`, '--at', '9'],
    ['blame', 'settings', '--at', '9', '--json'],
    ['explain', 'no-such-request'],
    ['explain', '--help'],
  ];
  const fromSources = lines.map((line) => run(folder, line));
  await makeBundle(path);
  for (const command of BUNDLED) expect(bundledCommandLine(command, path)).toMatch(/\/\.svc-commands\/.*\/cli\.mjs$/);
  const before = filesIn(folder);
  expect(lines.map((line) => run(folder, line))).toEqual(fromSources);
  expect(fromSources.map(({ code }) => code)).toEqual([0, 0, 0, 2, 2, 0, 0, 0, 0, 2, 0]);
  expect(filesIn(folder)).toEqual(before);
});

test('a bundle runs as long as its sources are unchanged, and the sources run after that', SLOW, async () => {
  const { path, run } = checkout();
  const { folder } = await aChangedFolder();
  await makeBundle(path);
  const source = join(path, 'src/app/past/showCommand.ts');
  const { mtime } = statSync(source);
  const shown = () => run(folder, ['show', 'settings', '--at', '2']).stdout.split(' ')[1];
  // A change of the same size and time cannot be seen: what runs is the bundle.
  writeFileSync(source, readFileSync(source, 'utf8').replace('at position', 'in position'));
  utimesSync(source, mtime, mtime);
  expect(shown()).toBe('at');
  utimesSync(source, mtime, new Date(mtime.getTime() + 60_000));
  expect(bundledCommandLine('show', path)).toBeUndefined();
  expect(shown()).toBe('in');
  await makeBundle(path);
  expect(bundledCommandLine('show', path)).toBeDefined();
  expect(shown()).toBe('in');
});

test('a bundle is not used for other commands, nor when it is damaged or a package has another version', async () => {
  const { path } = checkout();
  expect(bundledCommandLine('show', path)).toBeUndefined();
  await makeBundle(path);
  for (const command of ['serve', 'verify', 'help', undefined])
    expect(bundledCommandLine(command, path)).toBeUndefined();
  const manifest = join(path, 'node_modules/.svc-commands/current.json');
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace(/("zod":")[^"]*/, '$10.0.1'));
  expect(bundledCommandLine('show', path)).toBeUndefined();
  writeFileSync(manifest, text.slice(0, -10));
  expect(bundledCommandLine('show', path)).toBeUndefined();
  writeFileSync(manifest, text);
  expect(bundledCommandLine('show', path)).toBeDefined();
});

function checkout() {
  const { path, start } = aCheckout();
  return {
    path,
    run(folder: string, args: readonly string[]) {
      const env = { PATH: process.env.PATH, SVC_DATA_DIR: folder };
      const { status, stdout, stderr } = spawnSync(process.execPath, [start, ...args], { env, encoding: 'utf8' });
      return { code: status, stdout, stderr };
    },
  };
}
