// Plain JavaScript, as all that is loaded before compiled code is cached.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { CHECKOUT, currentBundle } from './bundle/bundles.mjs';
import { threadPrograms } from './bundle/threadPrograms.mjs';
import { cacheCompiledCode } from './compileCache.mjs';
import { letHeapsDouble } from './heapGrowth.mjs';

// `npm ci` runs this at its end, with the options of `npm start`, to which the cache belongs: it bundles svc where the bundler is
// installed, and compiles what a service loads. Without it, the main thread and each thread of the first start would load Node's
// TypeScript compiler, which they keep until they end. Nothing depends on it.

const SOURCES = new URL('../', import.meta.url);
const START = fileURLToPath(new URL('start.mjs', SOURCES));
/** What the service loads by itself; each brings what it imports. */
const PARTS = [
  'app/serviceSignals.ts',
  'app/serve.ts',
  'app/main.ts',
  'app/runService.ts',
  'app/wiring/operatorSurface.ts',
  'app/wiring/sharedStore.ts',
  'eventLog/sqlite/writer.ts',
  'readModels/mongo/mongoReadModels.ts',
  'proxy/upstream/undici/undiciUpstreamPool.ts',
  'lib/tracing/openTracer.ts',
  'proxy/tracing/requestTraces.ts',
];
/** Run from its source, for what it looks at are the sources of the dashboard. */
const DASHBOARD_SOURCES = new URL('../dashboard/scripts/sources.ts', SOURCES).href;

/** Programs of threads are among them. They do not run here, where no thread has started them, but are compiled. */
function programs() {
  const bundle = currentBundle('service');
  if (bundle === undefined) return [...PARTS, ...threadPrograms(CHECKOUT)].map((path) => new URL(path, SOURCES).href);
  const folder = fileURLToPath(bundle);
  // The command line runs when it is imported.
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.mjs') && path !== 'app/cli.mjs')
    .map((path) => new URL(path, bundle).href);
}

const { enableCompileCache, getCompileCacheDir } = nodeModule;
letHeapsDouble();
// An installation does not fail because the Node that npm finds is too old: a start names the one that is needed.
if (enableCompileCache) cacheCompiledCode();
if (getCompileCacheDir?.() !== undefined) {
  await import('./bundle/makeBundles.ts').then(({ makeBundles }) => makeBundles()).catch(() => undefined);
  spawnSync(process.execPath, [...process.execArgv, START, 'help'], { stdio: 'ignore' });
  for (const program of [...programs(), DASHBOARD_SOURCES]) await import(program).catch(() => undefined);
}
process.exit(0);
