// `npm run build` builds the dashboard ahead of the first start, for instance for a container image. The service runs the same
// program when the dashboard is missing or its sources have changed: `build.mjs --into FOLDER`.

import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { requireSupportedNode } from '../../src/nodeVersion.mjs';

requireSupportedNode();
const dashboard = fileURLToPath(new URL('../', import.meta.url));
const [, into = dashboard] = process.argv.slice(2);
// Whoever may read the checkout may use its dashboard, also if another user has built it. The data folder is private.
process.umask(into === dashboard ? 0o022 : 0o077);
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.on(signal, () => process.exit(exitCode));
}
const isChild = process.send !== undefined;
if (isChild) {
  // It ends with the service that waits for it, and leaves the processor to its requests.
  process.on('disconnect', () => process.exit(1));
  setPriority(5);
}

// What vite and SvelteKit print matters only when they fail.
let output = '';
const write = process.stdout.write.bind(process.stdout);
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (chunk) => {
    output += chunk;
    return true;
  };
}
const tell = (message, text) =>
  new Promise((resolve) => (isChild ? process.send(message, resolve) : write(`${text}\n`, resolve)));

const { buildDashboard } = await import('./buildDashboard.ts');
try {
  const begun = { kind: 'begun' };
  const result = await buildDashboard(into, () => tell(begun, 'Building the dashboard, about 10 s ...'));
  const { seconds, kB, page } = result ?? {};
  const built = `Built the dashboard in ${seconds?.toFixed(1)} s; the largest first load is ${kB} kB compressed (${page}).`;
  const bundled = into === dashboard ? await bundle() : '';
  await tell({ kind: 'done', seconds }, `${result ? built : 'The dashboard is up to date.'}${bundled}`);
  process.exit(0);
} catch (error) {
  await tell({ kind: 'failed', reason: error.message }, `${output}\nCouldn't build the dashboard: ${error.message}`);
  process.exit(1);
}

/** svc runs from its sources, too: without a bundle it only takes longer to start. */
async function bundle() {
  try {
    const { makeBundles } = await import('../../src/app/bundle/makeBundles.ts');
    const sources = await makeBundles();
    return sources === 0 ? '' : `\nBundled ${sources} sources, so that svc starts faster.`;
  } catch (error) {
    return `\nsvc is not bundled and takes longer to start: ${error.message}`;
  }
}
