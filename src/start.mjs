// Plain JavaScript, so that a Node that is too old can still say so instead of stumbling over TypeScript.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `svc needs Node 24.15 or later and this is ${process.versions.node}: run it by "npm start" after "npm ci" with install scripts allowed (they bring Node 24), or install Node 24.\n`,
  );
  process.exit(1);
}
// Types are stripped and code is compiled once, not at every start: that halves the time of a start.
const { enableCompileCache, getCompileCacheDir } = await import('node:module');
enableCompileCache();
const compiled = getCompileCacheDir();
// biome-ignore lint/style/noProcessEnv: threads take the folder from there, and from nowhere else
if (compiled !== undefined) process.env.NODE_COMPILE_CACHE = compiled;
const [command = 'serve'] = process.argv.slice(2);
// What is wrong with the settings is said at once, by whoever reads them for good.
if (command === 'serve' && (await hasValidSettings())) await buildDashboard();
await import('./app/cli.ts');

async function hasValidSettings() {
  const { readConfig } = await import('./app/config/config.ts');
  try {
    readConfig();
    return true;
  } catch {
    return false;
  }
}

/** An image holds the built dashboard without what builds it. */
async function buildDashboard() {
  const { existsSync } = await import('node:fs');
  const script = new URL('../dashboard/scripts/ensureBuilt.mjs', import.meta.url);
  if (!existsSync(script)) return;
  const { ensureBuilt } = await import(script.href);
  const say = (line) => process.stdout.write(`${line}\n`);
  const outcome = await ensureBuilt({ say }).catch((error) => error);
  // The gateway does its work without it.
  if (outcome instanceof Error) process.stderr.write(`${outcome.message}\nGoing on with the dashboard as it was.\n`);
  if (outcome === 'no tools') say('The dashboard is as it was last built: what builds it is not installed (npm ci).');
}
