// Builds the reader of expositions in Go (main.go), around Prometheus' own parsers: once per machine, under a minute. Tests that need
// it are skipped by name where Go is missing.

import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The network or the version of Go is missing; anything else is an error of the program. */
const CANNOT_BUILD = /dial tcp|no such host|proxyconnect|i\/o timeout|requires go >=|toolchain not available/;

/** @returns the path of the reader, or why there is none */
export function buildPrometheusReader(): { readonly path: string } | { readonly missing: string } {
  const sources = ['main.go', 'go.mod', 'go.sum'].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const path = join(cache, 'svc-test', `prometheus-${hash('sha256', sources.join('\n')).slice(0, 12)}`);
  if (existsSync(path)) return { path };
  if (spawnSync('go', ['version']).error) return { missing: 'Go is not installed' };
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const { status, stderr } = spawnSync('go', ['build', '-trimpath', '-o', unfinished, '.'], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
  });
  if (status !== 0 && CANNOT_BUILD.test(stderr)) return { missing: 'the Go modules cannot be built here' };
  if (status !== 0) throw new Error(`the reader in Go was not built: ${stderr}`);
  renameSync(unfinished, path);
  return { path };
}
