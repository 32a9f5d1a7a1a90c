// Builds a program in Go around modules of others, so that what svc writes is read by code that is not its own: once per machine, under
// a minute. Tests that need it are skipped by name where Go is missing.

import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The network or the version of Go is missing; anything else is an error of the program. */
const CANNOT_BUILD = /dial tcp|no such host|proxyconnect|i\/o timeout|requires go >=|toolchain not available/;

export type GoProgram = { readonly path: string } | { readonly missing: string };

/**
 * Builds `main.go` of a folder with its `go.mod` and `go.sum`.
 * @param folder the URL of a folder of `test/support`, with a slash at its end
 * @returns the path of the program, or why there is none
 */
export function buildGoProgram(folder: URL): GoProgram {
  const sources = ['main.go', 'go.mod', 'go.sum'].map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const cwd = fileURLToPath(folder);
  const path = join(cache, 'svc-test', `${basename(cwd)}-${hash('sha256', sources.join('\n')).slice(0, 12)}`);
  if (existsSync(path)) return { path };
  if (spawnSync('go', ['version']).error) return { missing: 'Go is not installed' };
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const { status, stderr } = spawnSync('go', ['build', '-trimpath', '-o', unfinished, '.'], { cwd, encoding: 'utf8' });
  if (status !== 0 && CANNOT_BUILD.test(stderr)) return { missing: 'the Go modules cannot be built here' };
  if (status !== 0) throw new Error(`${cwd} was not built: ${stderr}`);
  renameSync(unfinished, path);
  return { path };
}
