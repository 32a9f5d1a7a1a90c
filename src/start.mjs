import { bundleFor, currentBundle } from './app/bundle/bundles.mjs';
import { cacheCompiledCode } from './app/compileCache.mjs';
import { letHeapsDouble } from './app/heapGrowth.mjs';
import { requireSupportedNode } from './nodeVersion.mjs';

requireSupportedNode();
letHeapsDouble();
cacheCompiledCode();
const [command] = process.argv.slice(2);
const bundle = currentBundle(bundleFor(command));
if (command === 'serve') {
  const { serviceSignals } = await import(bundle ? `${bundle}app/serviceSignals.mjs` : './app/serviceSignals.ts');
  serviceSignals.listen();
}
await import(bundle ? `${bundle}app/cli.mjs` : './app/cli.ts');
