import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test, vi } from 'vitest';
import { managementApi } from '../durability/support/managementApi.ts';
import { type ServiceProcess, serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { startFakeEventStore } from '../support/eventstore/fakeEventStore.ts';

// The package that `npm run package` makes, installed by the npm client into an empty folder. It brings its packages, so no registry
// is asked (docs/decisions/0102-npm-package.md).

vi.setConfig({ testTimeout: 180_000, hookTimeout: 400_000 });

const repository = fileURLToPath(new URL('../../', import.meta.url));
const MAX_BYTES = 60_000_000;
/** The user's own Node 24 is the first on the path. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
let project: string;

beforeAll(async () => {
  const folder = await tempDir('package');
  project = join(folder.path, 'project');
  mkdirSync(project);
  const env = { ...process.env, PATH };
  execFileSync(process.execPath, ['test/support/package/makePackage.ts', folder.path], {
    cwd: repository,
    env,
    stdio: 'ignore',
  });
  const file = readdirSync(folder.path).find((name) => name.endsWith('.tgz')) as string;
  writeFileSync(join(project, 'package.json'), '{"name":"user","private":true}');
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(folder.path, file)];
  execFileSync('npm', install, { cwd: project, env, stdio: 'ignore' });
  return () => folder[Symbol.asyncDispose]();
});

const npx = (data: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ServiceProcess =>
  serve({
    folder: data,
    env: { PATH, ...env },
    command: ['npx', '--offline', '--prefix', project, 'svc', ...args],
    timeoutMs: 120_000,
  });

test('takes less than 60 MB, has no Node and no development packages, and keeps every licence', () => {
  const packages = join(project, 'node_modules/svc/node_modules');
  expect(bytesOnDisk(join(project, 'node_modules'))).toBeLessThan(MAX_BYTES);
  const names = readdirSync(packages);
  for (const name of ['node', 'vitest', 'typescript', '@biomejs', 'vite', 'svelte']) expect(names).not.toContain(name);
  const { dependencies, devDependencies, scripts, workspaces } = JSON.parse(
    readFileSync(join(project, 'node_modules/svc/package.json'), 'utf8'),
  );
  expect([dependencies.node, devDependencies, scripts, workspaces]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  const sbom = JSON.parse(readFileSync(join(project, 'node_modules/svc/sbom.cdx.json'), 'utf8'));
  const components: readonly { name: string; licenses?: unknown }[] = sbom.components;
  expect(components.map(({ name }) => name)).toContain('koa');
  expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([]);
  const listed = execFileSync(process.execPath, ['test/support/package/licences.ts'], {
    cwd: repository,
    encoding: 'utf8',
  });
  expect(listed).toMatch(/^koa \S+ MIT$/m);
  expect(listed).not.toContain('none named');
});

test('runs with npx: commands, and the service with its dashboard', async () => {
  await using data = await tempDir('package-data');
  const help = await npx(data.path, ['help']).ended;
  expect([help.exitCode, help.stdout[0]]).toEqual([0, 'Usage: svc <command>']);
  await using service = npx(data.path, ['serve']);
  const url = await service.listening();
  const page = await fetch(url);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<!doctype html>')]);
  expect(await managementApi(url).call('GET', '/api/accounts')).toEqual({ accounts: [] });
  await service.stop();
  expect(await npx(data.path, ['verify']).ended).toMatchObject({ exitCode: 0 });
  expect(await npx(data.path, ['backup', join(data.path, 'file.backup')]).ended).toMatchObject({ exitCode: 0 });
});

test('runs over EventStoreDB', async () => {
  await using data = await tempDir('package-data');
  await using eventStore = await startFakeEventStore();
  await using service = npx(data.path, ['serve'], {
    SVC_EVENTSTORE_URL: eventStore.url,
    SVC_ENCRYPTION_KEY: 'a'.repeat(64),
  });
  const url = await service.listening();
  expect(await managementApi(url).call('GET', '/api/api-keys')).toEqual([]);
});

/** As `du` counts: blocks of files and folders. */
function bytesOnDisk(path: string): number {
  const found = lstatSync(path);
  const own = found.blocks * 512;
  return found.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + bytesOnDisk(join(path, name)), own) : own;
}
