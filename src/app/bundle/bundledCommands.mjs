// Plain JavaScript, as all that is loaded before compiled code is cached.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Commands that people wait for and that end at once: half of their time would be spent in loading 300 modules one by one. */
export const BUNDLED = ['show', 'diff', 'blame', 'explain'];

export const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of bundles, each in a folder of its own, and the file that says which one is current. */
export const bundlesIn = (checkout) => join(checkout, 'node_modules/.svc-commands');
export const MANIFEST = 'current.json';

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
 * @param {string | undefined} command
 * @returns the URL of the command line in the bundle, if it has the command and was made of the present sources; else undefined
 */
export function bundledCommandLine(command, checkout = CHECKOUT) {
  if (command === undefined || !BUNDLED.includes(command)) return undefined;
  const bundles = bundlesIn(checkout);
  try {
    const { entry, sources, packages } = JSON.parse(readFileSync(join(bundles, MANIFEST), 'utf8'));
    const isCurrent =
      Object.entries(sources).every(([path, stamp]) => stampOf(`${checkout}/${path}`) === stamp) &&
      Object.entries(packages).every(([name, version]) => versionOf(checkout, name) === version);
    return isCurrent ? pathToFileURL(join(bundles, entry)).href : undefined;
  } catch {
    // None was made, or a source of it is gone: the sources do the same.
    return undefined;
  }
}
