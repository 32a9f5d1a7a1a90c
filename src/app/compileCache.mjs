// Plain JavaScript: before compiled code is cached, TypeScript would load Node's compiler, 50 ms of CPU at each start.

import { lstatSync, mkdirSync, statSync } from 'node:fs';
// The default export: a Node that lacks these must come to the line that says so.
import nodeModule from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/**
 * Caches stripped and compiled code across starts, which halves the time of a start: in the checkout, or where this user may
 * not write there, in the data folder once it exists. What is cached is run, so no other user may write to the folder; Node's
 * default is one below /tmp, which another user can make first. Without a folder svc starts without a cache. An operator's
 * NODE_COMPILE_CACHE, which Node itself has read by now, wins.
 */
export function cacheCompiledCode() {
  const { constants, enableCompileCache, getCompileCacheDir } = nodeModule;
  if (getCompileCacheDir() !== undefined) return;
  // biome-ignore lint/plugin: this runs before the settings are read, some of which may be invalid
  const { env } = process;
  const folder = privateFolderIn(NODE_MODULES) ?? privateFolderIn(resolve(env.SVC_DATA_DIR || './data'));
  if (folder === undefined) return;
  const { ENABLED, ALREADY_ENABLED } = constants.compileCacheStatus;
  const { status } = enableCompileCache(folder);
  // Worker threads take the folder from the environment only.
  if (status === ENABLED || status === ALREADY_ENABLED) env.NODE_COMPILE_CACHE = folder;
}

/**
 * @param {string} parent
 * @returns a folder below `parent` that belongs to this user and that no other user can write to; undefined if that cannot be had
 */
function privateFolderIn(parent) {
  const folder = join(parent, '.svc-compiled');
  try {
    if (!isOwnersFolder(statSync(parent))) return undefined;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    return isOwnersFolder(found) && found.uid === process.geteuid?.() ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is a folder that only its owner can write to. */
const isOwnersFolder = (found) => found.isDirectory() && (found.mode & 0o022) === 0;
