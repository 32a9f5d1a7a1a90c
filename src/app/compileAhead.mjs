// Plain JavaScript, as all that is loaded before compiled code is cached.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { cacheCompiledCode } from './compileCache.mjs';

// `npm ci` runs this at its end, with the options of `npm start`, to which the cache belongs: without it, the main thread and
// each thread of the first start would load Node's TypeScript compiler, which they keep until they end. Nothing depends on it.

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
  '../dashboard/scripts/sources.ts',
];
/** Programs of threads. They do not run here, where no thread has started them, but are compiled. */
const threadPrograms = () =>
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('Worker.ts'));

const { enableCompileCache, getCompileCacheDir } = nodeModule;
// An installation does not fail because the Node that npm finds is too old: a start names the one that is needed.
if (enableCompileCache) cacheCompiledCode();
if (getCompileCacheDir?.() !== undefined) {
  // The command line runs when it is imported.
  spawnSync(process.execPath, [...process.execArgv, START, 'help'], { stdio: 'ignore' });
  for (const part of [...PARTS, ...threadPrograms()]) {
    await import(new URL(part, SOURCES).href).catch(() => undefined);
  }
}
process.exit(0);
