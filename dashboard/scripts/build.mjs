// `npm run build` builds the dashboard ahead of the first start, for instance for a container image.

import { ensureBuilt } from './ensureBuilt.mjs';

const print = (line) => process.stdout.write(`${line}\n`);
const printError = (line) => process.stderr.write(`${line}\n`);
try {
  const outcome = await ensureBuilt({ print });
  if (outcome === 'up to date') print('The dashboard is up to date.');
  if (outcome === 'no sources') throw new Error('The sources of the dashboard are missing.');
  if (outcome === 'no tools') throw new Error('The packages that build the dashboard are not installed: run "npm ci".');
} catch (error) {
  printError(error.message);
  process.exitCode = 1;
}
