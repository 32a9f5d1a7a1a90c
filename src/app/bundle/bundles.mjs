// Plain JavaScript, as all that is loaded before compiled code is cached.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Commands that people wait for and that end at once. They have a bundle of their own, without what only others use. */
export const QUICK = ['show', 'diff', 'blame', 'explain'];

/** Each is made, found outdated and replaced by itself. */
export const BUNDLES = ['quick', 'service'];

/** @param {string | undefined} command @returns the bundle that runs it */
export const bundleFor = (command) => (command !== undefined && QUICK.includes(command) ? 'quick' : 'service');

export const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of bundles, each in a folder of its own, and of the files that say which ones are current. */
export const bundlesIn = (checkout) => join(checkout, 'node_modules/.svc-bundles');

/** The file that names the current folder of a bundle. */
export const manifestOf = (bundle, checkout = CHECKOUT) => join(bundlesIn(checkout), `${bundle}.json`);

/**
 * What a bundle says of a source: one that was changed since, also by an update or a checkout of Git, has another size or time. In
 * seconds, which layers of an image keep.
 * @param {string} path
 */
export function stampOf(path) {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${Math.floor(mtimeMs / 1_000)}`;
}

/** @returns the version of a package that is installed */
export const versionOf = (checkout, name) =>
  JSON.parse(readFileSync(join(checkout, 'node_modules', name, 'package.json'), 'utf8')).version;

/**
 * @param {string} bundle one of BUNDLES
 * @returns the URL of the folder with its programs, if it was made of the present sources; else undefined
 */
export function currentBundle(bundle, checkout = CHECKOUT) {
  try {
    const { folder, sources, packages } = JSON.parse(readFileSync(manifestOf(bundle, checkout), 'utf8'));
    const isCurrent =
      Object.entries(sources).every(([path, stamp]) => stampOf(`${checkout}/${path}`) === stamp) &&
      Object.entries(packages).every(([name, version]) => versionOf(checkout, name) === version);
    return isCurrent ? `${pathToFileURL(join(bundlesIn(checkout), folder)).href}/` : undefined;
  } catch {
    // None was made, or a source of it is gone: the sources do the same.
    return undefined;
  }
}
