import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runChild } from './child.ts';
import {
  clientEnvironment,
  clientsFolder,
  codexBinary,
  installedVersion,
  opencodeBinary,
  pinnedClients,
} from './clients.ts';
import { tempDir } from './tempDir.ts';

const stamp = join(clientsFolder, 'node_modules', '.installed-by-e2e');

/**
 * Installs the clients in `test/e2e/clients` as pinned in its lock file, unless they are installed already.
 *
 * Uses `npm install --no-save` instead of `npm ci`: opencode has packages for twelve platforms, a registry mirror may lack
 * some, and `npm ci` rejects a lock file without them although this machine does not need them. Both take versions and
 * checksums from the lock file; what `npm ci` checks beyond that is checked here.
 *
 * @throws when npm fails, or when an installed client has another version or does not run
 */
export async function installClients(log: (line: string) => void): Promise<void> {
  const expected = await fingerprint();
  if ((await readFile(stamp, 'utf8').catch(() => '')) === expected) return;

  log('installing the real clients into test/e2e/clients (once; about 1.1 GB on disk)');
  const startedAt = performance.now();
  await rm(join(clientsFolder, 'node_modules'), { recursive: true, force: true });
  await npm(['install', '--no-save', '--no-audit', '--no-fund']);
  for (const [name, version] of Object.entries(pinnedClients())) {
    const installed = installedVersion(name);
    if (installed !== version) throw new Error(`${name} ${version} is pinned, ${installed ?? 'nothing'} was installed`);
  }
  for (const binary of [codexBinary(), codexBinary('old'), opencodeBinary()])
    log(`${binary} is ${await versionOf(binary)}`);
  await writeFile(stamp, expected);
  log(`installed in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

/** A hash of what an installation depends on. When it changes, the clients are installed again. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of ['package.json', 'package-lock.json']) hash.update(await readFile(join(clientsFolder, file)));
  return hash.digest('hex');
}

/** Output goes to stderr, because the test reporter uses stdout. */
async function npm(args: string[]): Promise<void> {
  const child = spawn('npm', args, {
    cwd: clientsFolder,
    stdio: ['ignore', process.stderr, process.stderr],
    // npm and the install scripts use this Node, not another one on the PATH.
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` },
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  if (exitCode !== 0) throw new Error(`npm ${args.join(' ')} ended with ${exitCode} in ${clientsFolder}`);
}

async function versionOf(binary: string): Promise<string> {
  await using home = await tempDir('version');
  const { exitCode, stdout, stderr } = await runChild(binary, ['--version'], {
    cwd: home.path,
    env: clientEnvironment(home.path),
    timeoutMs: 20_000,
  });
  if (exitCode !== 0) throw new Error(`${binary} --version ended with ${exitCode}: ${stderr}`);
  return stdout.trim();
}
