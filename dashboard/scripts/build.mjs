// `npm run build`: what `npm start` does by itself, e.g. for an image.

import { ensureBuilt } from './ensureBuilt.mjs';

const say = (line) => process.stdout.write(`${line}\n`);
const complain = (line) => process.stderr.write(`${line}\n`);
try {
  const outcome = await ensureBuilt({ say });
  if (outcome === 'up to date') say('The dashboard is up to date.');
  if (outcome === 'no sources') throw new Error('The sources of the dashboard are not here.');
  if (outcome === 'no tools') throw new Error('What builds the dashboard is not installed: run "npm ci".');
} catch (error) {
  complain(error.message);
  process.exitCode = 1;
}
