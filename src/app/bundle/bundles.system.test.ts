import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve } from '../../../test/durability/support/serve.ts';
import { aCheckout } from '../../../test/support/checkout.ts';
import { aChangedFolder, filesIn } from '../past/pastFolder.support.ts';
import { BUNDLES, bundleFor, bundlesIn, currentBundle, manifestOf, QUICK } from './bundles.mjs';
import { makeBundles } from './makeBundles.ts';

/** Each of some twenty commands is a process. */
const SLOW = { timeout: 180_000 };
const JSON_BODY = { 'content-type': 'application/json' };

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
    ['help'],
    ['no such command'],
  ];
  const fromSources = lines.map((line) => run(folder, line));
  await makeBundles(path);
  for (const bundle of BUNDLES) expect(currentBundle(bundle, path)).toMatch(/\/\.svc-bundles\/.*\/$/);
  const before = filesIn(folder);
  expect(lines.map((line) => run(folder, line))).toEqual(fromSources);
  expect(fromSources.map(({ code }) => code)).toEqual([0, 0, 0, 2, 2, 0, 0, 0, 0, 2, 0, 0, 2]);
  expect(filesIn(folder)).toEqual(before);
});

test('a bundled service runs in the programs and threads that it was started with', SLOW, async () => {
  const { path, start } = checkout();
  await makeBundles(path);
  const folder = join(path, 'data');
  await using service = serve({ folder, command: [process.execPath, start, 'serve'] });
  const url = await service.listening();
  // An update: what a running service has not loaded yet is still of its own version.
  renameSync(join(path, 'src'), join(path, 'src.before'));
  const begun = await fetch(`${url}/api/integrity/verify`, { method: 'POST', body: '{}', headers: JSON_BODY });
  expect(begun.status).toBe(202);
  await expect
    .poll(async () => (await fetch(`${url}/api/integrity`)).json(), { timeout: 30_000 })
    .toMatchObject({ verification: { ok: true } });
  renameSync(join(path, 'src.before'), join(path, 'src'));
  const { exitCode, stderr } = await service.stop();
  expect([exitCode, stderr]).toEqual([0, []]);
});

test('a bundle runs as long as its sources are unchanged, and the sources run after that', SLOW, async () => {
  const { path, run } = checkout();
  const { folder } = await aChangedFolder();
  await makeBundles(path);
  const source = join(path, 'src/app/past/showCommand.ts');
  const { mtime } = statSync(source);
  const shown = () => run(folder, ['show', 'settings', '--at', '2']).stdout.split(' ')[1];
  // A change of the same size and time cannot be seen: what runs is the bundle.
  writeFileSync(source, readFileSync(source, 'utf8').replace('at position', 'in position'));
  utimesSync(source, mtime, mtime);
  expect(shown()).toBe('at');
  utimesSync(source, mtime, new Date(mtime.getTime() + 60_000));
  expect(currentBundle('quick', path)).toBeUndefined();
  expect(shown()).toBe('in');
  await makeBundles(path);
  expect(currentBundle('quick', path)).toBeDefined();
  expect(shown()).toBe('in');
});

test('a bundle is not used when it is damaged or a package has another version', SLOW, async () => {
  const { path } = checkout();
  expect(currentBundle('quick', path)).toBeUndefined();
  await makeBundles(path);
  const manifest = manifestOf('quick', path);
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, text.replace(/("zod":")[^"]*/, '$10.0.1'));
  expect(currentBundle('quick', path)).toBeUndefined();
  writeFileSync(manifest, text.slice(0, -10));
  expect(currentBundle('quick', path)).toBeUndefined();
  expect(currentBundle('service', path)).toBeDefined();
  writeFileSync(manifest, text);
  expect(currentBundle('quick', path)).toBeDefined();
});

test('what is current is not made again, and the folder made first gives way to an eleventh', SLOW, async () => {
  const { path } = checkout();
  const folders = () => readdirSync(bundlesIn(path)).sort();
  const change = () => {
    const source = join(path, 'src/app/past/showCommand.ts');
    writeFileSync(source, `${readFileSync(source, 'utf8')}\n`);
  };
  expect(await makeBundles(path)).toBeGreaterThan(500);
  expect(await makeBundles(path)).toBe(0);
  expect(folders()).toEqual(['quick-0', 'quick.json', 'service-0', 'service.json']);
  change();
  await makeBundles(path);
  expect(folders()).toEqual(['quick-0', 'quick-1', 'quick.json', 'service-0', 'service-1', 'service.json']);
  for (let index = 2; index < 10; index++) mkdirSync(join(bundlesIn(path), `quick-${index}`));
  const old = new Date('2026-01-01T00:00:00Z');
  for (const index of [1, 4]) utimesSync(join(bundlesIn(path), `quick-${index}`), old, old);
  change();
  await makeBundles(path);
  expect([currentBundle('quick', path), folders().length]).toEqual([expect.stringMatching(/\/quick-4\/$/), 15]);
});

test.each<[string | undefined, string]>([
  ...QUICK.map((command): [string, string] => [command, 'quick']),
  ['serve', 'service'],
  ['no', 'service'],
  [undefined, 'service'],
])('the command %s is run by the bundle %s', (command, bundle) => expect(bundleFor(command)).toBe(bundle));

function checkout() {
  const { path, start } = aCheckout();
  return {
    path,
    start,
    run(folder: string, args: readonly string[]) {
      const env = { PATH: process.env.PATH, SVC_DATA_DIR: folder };
      const { status, stdout, stderr } = spawnSync(process.execPath, [start, ...args], { env, encoding: 'utf8' });
      return { code: status, stdout, stderr };
    },
  };
}
