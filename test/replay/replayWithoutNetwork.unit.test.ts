import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** Everything that a module loads when it runs: static and dynamic imports, and the programs of its threads. Types are not loaded. */
const LOADED = [
  /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm,
  /\bimport\('([^']+)'\)/g,
  /new URL\('([^']+)', import\.meta\.url\)/g,
];

/** @returns what the modules load, directly and through others: paths, `node:` modules and packages */
function loadedBy(...entries: readonly string[]): Set<string> {
  const found = new Set<string>();
  const due = [...entries];
  for (let path = due.pop(); path !== undefined; path = due.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (!existsSync(path) || !path.endsWith('.ts')) continue;
    const source = readFileSync(path, 'utf8');
    for (const pattern of LOADED)
      for (const [, name = ''] of source.matchAll(pattern))
        due.push(name.startsWith('.') ? join(dirname(path), name) : name);
  }
  return found;
}

const NETWORK = /^(node:)?(https?|http2|net|tls|dgram|dns|inspector|child_process|cluster)(\/.*)?$/;
const OUR_NETWORK = /^src\/(provider|proxy|http|readModels)\//;

test('replay and what-if load no module that reaches a network, a provider or another process', () => {
  const loaded = loadedBy('src/app/commands/replayCommand.ts', 'src/replay/service/replayWorker.ts');
  for (const name of ['src/domain/routing/select.ts', 'src/domain/limits/admit.ts', 'src/state/pages/pageWorker.ts'])
    expect(loaded).toContain(name);
  const packages = [...loaded].filter((name) => !name.startsWith('src/') && !name.startsWith('node:'));
  expect(packages.toSorted()).toEqual(['zod']);
  expect([...loaded].filter((name) => NETWORK.test(name) || OUR_NETWORK.test(name))).toEqual([]);
});

test('finds what a module loads through others', () => {
  const loaded = loadedBy('src/management/resources/settings.ts');
  expect([...loaded].filter((name) => /koa/.test(name)).length).toBeGreaterThan(0);
  expect(
    [...loadedBy('src/provider/client/providerClient.ts', 'src/app/main.ts')].some((name) => NETWORK.test(name)),
  ).toBe(true);
});
