// Builds the dashboard when it is missing or its sources have changed. Plain JavaScript, because it also runs before the
// version of Node has been checked.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FIRST_LOAD_LIMIT_KB, firstLoad } from './firstLoad.mjs';

const dashboard = fileURLToPath(new URL('../', import.meta.url));
const built = join(dashboard, 'build');
const fresh = join(dashboard, 'build.new');
const lock = join(dashboard, '.build.lock');
const SOURCES = ['src', 'static', 'package.json', 'tsconfig.json', 'vite.config.ts', '../package-lock.json'];
const STAMP = 'sources.sha256';

/**
 * @param {{ print: (line: string) => void }} options
 * @returns {Promise<'built' | 'up to date' | 'no sources' | 'no tools'>} `no tools`: the packages that build it are not
 *   installed, as after `npm ci --omit=dev`; an existing build is kept
 * @throws Error with the output of the build when it fails
 */
export async function ensureBuilt({ print }) {
  if (!existsSync(join(dashboard, 'src'))) return 'no sources';
  const stamp = stampOf(SOURCES);
  const isCurrent = () => readIfPresent(join(built, STAMP)) === stamp;
  if (isCurrent()) return 'up to date';
  const vite = viteCommand();
  if (vite === undefined) return 'no tools';
  const unlock = await takeLock();
  try {
    // Another process may have built it while this one waited.
    if (isCurrent()) return 'up to date';
    print(`${existsSync(built) ? 'The dashboard has changed' : 'First start'}: building the dashboard, about 10 s ...`);
    const startedAt = performance.now();
    await run(vite, stamp);
    const { page, kB } = firstLoad({
      root: dashboard,
      output: join(dashboard, '.svelte-kit/output/client'),
      site: fresh,
    });
    if (kB > FIRST_LOAD_LIMIT_KB) {
      throw new Error(`The first load of ${page} is ${kB} kB compressed, more than ${FIRST_LOAD_LIMIT_KB} kB.`);
    }
    writeFileSync(join(fresh, STAMP), stamp);
    rmSync(built, { recursive: true, force: true });
    renameSync(fresh, built);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    print(`Built the dashboard in ${seconds} s; the largest first load is ${kB} kB compressed (${page}).`);
    return 'built';
  } finally {
    unlock();
  }
}

/** A hash of the sources' content. Modification times do not do: a clone or an image has new times on old files. */
function stampOf(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    const full = join(dashboard, path);
    if (!existsSync(full)) return;
    try {
      hash.update(`${path}\0`).update(readFileSync(full));
    } catch (error) {
      if (error.code !== 'EISDIR') throw error;
      for (const name of readdirSync(full).sort()) add(join(path, name));
    }
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}

const readIfPresent = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

function viteCommand() {
  // npm hoists packages of workspaces where it can: vite may be in either folder.
  const folders = [join(dashboard, 'node_modules'), join(dashboard, '../node_modules')];
  const has = (name) => folders.some((folder) => existsSync(join(folder, name)));
  if (!has('@sveltejs/kit') || !has('svelte')) return undefined;
  return folders.map((folder) => join(folder, 'vite/bin/vite.js')).find((path) => existsSync(path));
}

/** Takes a lock, so that only one process builds at a time. @returns a function that releases it */
async function takeLock() {
  for (;;) {
    try {
      mkdirSync(lock);
      writeFileSync(join(lock, 'pid'), String(process.pid));
      return () => rmSync(lock, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(readIfPresent(join(lock, 'pid')));
    if (holder > 0 && !isAlive(holder)) rmSync(lock, { recursive: true, force: true });
    await wait(100);
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function run(vite, stamp) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
      cwd: dashboard,
      env: { ...process.env, NODE_ENV: 'production', DASHBOARD_BUILD: fresh, DASHBOARD_VERSION: stamp.slice(0, 16) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`Couldn't build the dashboard:\n${output.trim()}`));
    });
  });
}
