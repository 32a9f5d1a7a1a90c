// litewitness of filippo.io/torchwood: a witness that others run. It is built once per machine, in a minute, and signs with a key in an
// ssh-agent. Tests that need it are skipped by name where Go or OpenSSH is missing.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { EMPTY_ROOT } from '../../../../src/integrity/merkle/hashes.ts';

const VERSION = 'v0.9.0';
const PACKAGE = 'filippo.io/torchwood/cmd/litewitness';

/** @returns the path of the program, or why there is none */
export function buildLitewitness(): { readonly path: string } | { readonly missing: string } {
  for (const program of ['ssh-agent', 'ssh-keygen', 'ssh-add']) {
    if (spawnSync(program, ['-?']).error) return { missing: `${program} of OpenSSH is not installed` };
  }
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const path = join(cache, 'svc-test', `litewitness-${VERSION}`);
  if (existsSync(path)) return { path };
  if (spawnSync('go', ['version']).error) return { missing: 'Go is not installed' };
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { status, stderr } = spawnSync('go', ['build', '-trimpath', '-o', unfinished, PACKAGE], {
    cwd,
    encoding: 'utf8',
  });
  // Without the network a machine that never built it cannot; anything else is an error of ours.
  if (status !== 0 && /dial tcp|no such host|proxyconnect|i\/o timeout|403 Forbidden/.test(stderr)) {
    return { missing: 'the Go modules cannot be downloaded' };
  }
  if (status !== 0) throw new Error(`litewitness was not built: ${stderr}`);
  renameSync(unfinished, path);
  return { path };
}

export interface Litewitness {
  /** Its submission prefix. */
  readonly url: string;
  readonly vkey: string;
  /** What it has of a log. */
  head(origin: string): { readonly size: number; readonly root: string } | undefined;
}

/** Starts the witness for a log until the test ends. @param logVkey the verifier key of the log */
export async function startLitewitness(
  program: string,
  folder: string,
  origin: string,
  logVkey: string,
): Promise<Litewitness> {
  const [socket, key, path] = ['agent.sock', 'key', 'litewitness.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void agent.kill());
  await once(agent.stdout, 'data');
  run('ssh-add', ['-q', key], { SSH_AUTH_SOCK: socket });
  const [, fingerprint = ''] = run('ssh-keygen', ['-lf', `${key}.pub`]).split(' ');
  prepare(path, origin, logVkey);
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    '-name',
    'witness.example/lite',
    '-db',
    path,
    '-ssh-agent',
    socket,
    '-listen',
    address,
    '-key',
    fingerprint,
  ];
  const witness = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void witness.kill());
  let vkey = '';
  for await (const line of createInterface(witness.stderr)) {
    vkey = /vkey=(\S+)/.exec(line)?.[1] ?? vkey;
    if (line.includes('msg=listening')) break;
  }
  await untilListening(`http://${address}/`);
  return {
    url: `http://${address}`,
    vkey,
    head(of) {
      using database = new DatabaseSync(path, { readOnly: true });
      const row = database.prepare('SELECT tree_size AS size, tree_hash AS root FROM log WHERE origin = ?').get(of);
      return row as { size: number; root: string } | undefined;
    },
  };
}

/** What `witnessctl add-log` does. */
function prepare(path: string, origin: string, vkey: string): void {
  using database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE log (origin TEXT PRIMARY KEY, tree_size INTEGER NOT NULL, tree_hash TEXT NOT NULL);
    CREATE TABLE key (origin TEXT NOT NULL, key TEXT NOT NULL, FOREIGN KEY(origin) REFERENCES log(origin));
  `);
  database.prepare('INSERT INTO log VALUES (?, 0, ?)').run(origin, EMPTY_ROOT.toString('base64'));
  database.prepare('INSERT INTO key VALUES (?, ?)').run(origin, vkey);
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  return stdout;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilListening(url: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await fetch(url);
      return;
    } catch (error) {
      if (attempt === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
