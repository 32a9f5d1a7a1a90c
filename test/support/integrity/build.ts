// Builds the verifier in Go that checks checkpoints, tiles and proofs (main.go): once per machine, half a minute. Tests that
// need it are skipped by name where Go is missing.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goVerifier } from './goVerifier.ts';

/** @returns the path of the verifier, or why there is none */
export function buildGoVerifier(): { readonly path: string } | { readonly missing: string } {
  const path = goVerifier();
  if (existsSync(path)) return { path };
  if (spawnSync('go', ['version']).error) return { missing: 'Go is not installed' };
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const { status, stderr } = spawnSync('go', ['build', '-trimpath', '-o', unfinished, '.'], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
  });
  // Without the network a machine that never built it cannot; anything else is an error of the program.
  if (status !== 0 && /dial tcp|no such host|proxyconnect|i\/o timeout/.test(stderr)) {
    return { missing: 'the Go modules cannot be downloaded' };
  }
  if (status !== 0) throw new Error(`the verifier in Go was not built: ${stderr}`);
  renameSync(unfinished, path);
  return { path };
}
