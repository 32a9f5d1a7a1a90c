import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where `build.ts` puts the server, outside the work tree: another one for other sources. */
export function ferretdbBinary(): string {
  const sources = ['main.go', 'go.mod', 'go.sum'].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(cache, 'svc-test', `ferretdb-${hash('sha256', sources.join('\n')).slice(0, 12)}`);
}
