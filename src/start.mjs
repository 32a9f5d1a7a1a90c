import { bundledCommandLine } from './app/bundle/bundledCommands.mjs';
import { cacheCompiledCode } from './app/compileCache.mjs';
import { requireSupportedNode } from './nodeVersion.mjs';

requireSupportedNode();
cacheCompiledCode();
const [command] = process.argv.slice(2);
if (command === 'serve') {
  const { serviceSignals } = await import('./app/serviceSignals.ts');
  serviceSignals.listen();
}
await import(bundledCommandLine(command) ?? './app/cli.ts');
