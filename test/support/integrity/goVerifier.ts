import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Path of the verifier that `build.ts` builds: outside the work tree, and different for different sources. */
export function goVerifier(): string {
  const sources = ['main.go', 'bundle.go', 'go.mod', 'go.sum'].map((name) =>
    readFileSync(new URL(name, import.meta.url), 'utf8'),
  );
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(cache, 'svc-test', `integrity-${hash('sha256', sources.join('\n')).slice(0, 12)}`);
}
