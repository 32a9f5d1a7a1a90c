// Plain JavaScript, so that a Node that is too old prints this message instead of a syntax error in TypeScript.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `svc needs Node 24.15 or later, but this is ${process.versions.node}. Install Node 24, or start svc with "npm start" after "npm ci" with install scripts allowed, which downloads Node 24.\n`,
  );
  process.exit(1);
}
const [command] = process.argv.slice(2);
if (command === 'serve') {
  const { serviceSignals } = await import('./app/serviceSignals.ts');
  serviceSignals.listen();
}
// Caches stripped and compiled code across starts, which halves the time of a start.
const { enableCompileCache, getCompileCacheDir } = await import('node:module');
enableCompileCache();
const compiled = getCompileCacheDir();
// biome-ignore lint/style/noProcessEnv: worker threads take the folder from the environment only
if (compiled !== undefined) process.env.NODE_COMPILE_CACHE = compiled;
// With invalid settings cli.ts reports them at once, without waiting for a build.
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

/** Container images contain the built dashboard, but not its build script. */
async function buildDashboard() {
  const { existsSync } = await import('node:fs');
  const script = new URL('../dashboard/scripts/ensureBuilt.mjs', import.meta.url);
  if (!existsSync(script)) return;
  const { ensureBuilt } = await import(script.href);
  const print = (line) => process.stdout.write(`${line}\n`);
  const outcome = await ensureBuilt({ print }).catch((error) => error);
  // The proxy works without the dashboard.
  if (outcome instanceof Error) process.stderr.write(`${outcome.message}\nContinuing with the last built dashboard.\n`);
  if (outcome === 'no tools') print('Using the last built dashboard: its build tools are not installed (npm ci).');
}
