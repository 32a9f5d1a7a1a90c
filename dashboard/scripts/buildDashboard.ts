// Builds the dashboard into a folder. Runs in a process of its own (build.mjs): vite and SvelteKit use its working folder and
// environment, and the lock must end with the process that writes.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { takeBuildLock } from './buildLock.ts';
import { announcedFiles, type FirstLoad, filesOfPages, firstLoads } from './firstLoad.ts';
import {
  ANNOUNCED,
  DASHBOARD,
  missingPackages,
  PACKAGES,
  SOURCES,
  STAMP,
  stampOfBuild,
  stampOfSources,
} from './sources.ts';

/** Longer than a build on a small machine. */
const MAX_WAIT_MS = 15 * 60_000;

export interface BuildResult {
  readonly seconds: number;
  /** The page with the largest first load. */
  readonly page: string;
  readonly kB: number;
}

/**
 * Builds the dashboard into `<into>/build` unless it is up to date there. Writes nothing outside `into`, and replaces the last
 * build only by a complete one. Two processes at once build once.
 * @param onBegin called when it is not up to date and no other process builds it
 * @returns undefined when it is up to date
 * @throws Error that says why it cannot be built
 */
export async function buildDashboard(into: string, onBegin: () => void): Promise<BuildResult | undefined> {
  const built = join(into, 'build');
  const stamp = stampOfSources();
  const isCurrent = () => stampOfBuild(built) === stamp;
  if (isCurrent()) return undefined;
  const missing = missingPackages();
  if (missing.length > 0) {
    throw new Error(`The packages that build the dashboard are not installed (${missing.join(', ')}): run "npm ci".`);
  }
  const work = join(into, '.build');
  mkdirSync(work, { recursive: true });
  const lock = await takeBuildLock(join(work, 'lock.sqlite'), MAX_WAIT_MS);
  try {
    // Another process may have built it while this one waited.
    if (isCurrent()) return undefined;
    // Left by builds that were killed, the last two by earlier versions of svc.
    if (lock.isHeld) for (const name of readdirSync(work)) if (name.startsWith('new-')) remove(join(work, name));
    for (const name of ['.build.lock', 'build.new']) remove(join(into, name));
    onBegin();
    const startedAt = performance.now();
    const fresh = mkdtempSync(join(work, 'new-'));
    process.once('exit', () => remove(fresh));
    const result = await build(fresh, stamp);
    if (existsSync(built)) renameSync(built, join(fresh, 'replaced'));
    renameSync(join(fresh, 'build'), built);
    return { ...result, seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    lock.release();
  }
}

/** Threads of vite may still write to it when the process ends; what is left then is removed by the next build. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch {
    // It only takes room.
  }
}

/** Builds a copy of the sources: SvelteKit writes beside them, which must not disturb others that do so, and the checkout may be read-only. */
async function build(fresh: string, stamp: string) {
  const root = join(fresh, 'dashboard/sources');
  for (const name of SOURCES) {
    if (existsSync(join(DASHBOARD, name))) cpSync(join(DASHBOARD, name), join(root, name), { recursive: true });
  }
  const [own, hoisted] = PACKAGES;
  if (existsSync(own)) symlinkSync(own, join(fresh, 'dashboard/node_modules'));
  symlinkSync(hoisted, join(fresh, 'node_modules'));
  const site = join(fresh, 'build');
  // Read by vite.config.ts.
  process.env.DASHBOARD_BUILD = site;
  process.env.DASHBOARD_VERSION = stamp.slice(0, 16);
  process.env.NODE_ENV = 'production';
  process.chdir(root);
  const { createBuilder } = await import('vite');
  // `native`: by default vite writes the configuration that it has bundled into node_modules.
  const builder = await createBuilder({ root, logLevel: 'warn', configLoader: 'native' }, null);
  await builder.buildApp();
  const pages = filesOfPages({ root, output: join(root, '.svelte-kit/output/client'), site });
  const loads = firstLoads(pages, site);
  for (const { page, kB, limitKb } of loads) {
    if (kB > limitKb) throw new Error(`The first load of ${page} is ${kB} kB compressed, more than ${limitKb} kB.`);
  }
  writeFileSync(join(site, ANNOUNCED), JSON.stringify(announcedFiles(pages, site)));
  writeFileSync(join(site, STAMP), stamp);
  const { page, kB } = loads[0] as FirstLoad;
  return { page, kB };
}
