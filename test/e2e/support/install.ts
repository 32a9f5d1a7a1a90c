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
 * Makes sure that `test/e2e/clients/node_modules` holds exactly the clients that its lock file names.
 *
 * `npm install --no-save` and not `npm ci`: opencode lists twelve packages for as many systems, a registry mirror may
 * have only some of them, and `npm ci` refuses a lock file that lacks the others, although none of them is for this
 * machine. Both take versions and checksums from the lock file; what `npm ci` guards beyond that is checked here.
 *
 * @throws when npm fails, or when a client that it left behind is not the one that is pinned, or does not run
 */
export async function installClients(say: (line: string) => void): Promise<void> {
  const wanted = await fingerprint();
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;

  say('installing the real clients into test/e2e/clients (once; about 1.1 GB on disk)');
  const startedAt = performance.now();
  await rm(join(clientsFolder, 'node_modules'), { recursive: true, force: true });
  await npm(['install', '--no-save', '--no-audit', '--no-fund']);
  for (const [name, version] of Object.entries(pinnedClients())) {
    const installed = installedVersion(name);
    if (installed !== version) throw new Error(`${name} ${version} is pinned, ${installed ?? 'nothing'} was installed`);
  }
  for (const binary of [codexBinary(), codexBinary('old'), opencodeBinary()])
    say(`${binary} is ${await versionOf(binary)}`);
  await writeFile(stamp, wanted);
  say(`installed in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

/** What an installation depends on: when any of it changes, the clients are installed again. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of ['package.json', 'package-lock.json']) hash.update(await readFile(join(clientsFolder, file)));
  return hash.digest('hex');
}

/** Its output goes to our stderr: stdout belongs to the reporter of the tests. */
async function npm(args: string[]): Promise<void> {
  const child = spawn('npm', args, {
    cwd: clientsFolder,
    stdio: ['ignore', process.stderr, process.stderr],
    // npm and the install scripts run on this Node, not on whichever the machine has.
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
