import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Path of the server that `build.ts` builds: outside the work tree, and different for different sources. */
export function ferretdbBinary(): string {
  const sources = ['main.go', 'go.mod', 'go.sum', 'pushDownIds.ts'].map((name) =>
    readFileSync(new URL(name, import.meta.url), 'utf8'),
  );
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(cache, 'svc-test', `ferretdb-${hash('sha256', sources.join('\n')).slice(0, 12)}`);
}
