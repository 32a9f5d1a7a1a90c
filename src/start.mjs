import { requireSupportedNode } from './nodeVersion.mjs';

requireSupportedNode();
const [command] = process.argv.slice(2);
if (command === 'serve') {
  const { serviceSignals } = await import('./app/serviceSignals.ts');
  serviceSignals.listen();
}
const { cacheCompiledCode } = await import('./app/compileCache.ts');
cacheCompiledCode();
await import('./app/cli.ts');
