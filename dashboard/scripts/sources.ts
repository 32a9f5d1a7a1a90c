// What the dashboard is built from, and whether a build has been made from it.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the dashboard in this checkout. */
export const DASHBOARD = fileURLToPath(new URL('../', import.meta.url));

/** Files and folders that vite reads. */
export const SOURCES = ['src', 'static', 'package.json', 'tsconfig.json', 'vite.config.ts'] as const;

/** In a build: the hash of its sources. */
export const STAMP = 'sources.sha256';

/** In a build: the files of each page, which the service reads (src/http/static/dashboard.ts). */
export const ANNOUNCED = 'pages.json';

/** A hash of the sources' content. Modification times do not do: a clone or an image has new times on old files. */
export function stampOfSources(): string {
  const hash = createHash('sha256');
  const add = (path: string): void => {
    const full = join(DASHBOARD, path);
    if (!existsSync(full)) return;
    try {
      hash.update(`${path}\0`).update(readFileSync(full));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
      for (const name of readdirSync(full).sort()) add(join(path, name));
    }
  };
  for (const path of [...SOURCES, '../package-lock.json']) add(path);
  return hash.digest('hex');
}

/** @returns the hash of the sources of a build; undefined if there is none, or none that this user may read */
export function stampOfBuild(build: string): string | undefined {
  try {
    readFileSync(join(build, 'index.html'));
    return readFileSync(join(build, STAMP), 'utf8');
  } catch {
    return undefined;
  }
}

/** The folders in which npm puts the packages of the dashboard: it hoists those of workspaces where it can. */
export const PACKAGES = [join(DASHBOARD, 'node_modules'), join(DASHBOARD, '../node_modules')] as const;

/** @returns the packages needed for a build that are not installed */
export function missingPackages(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(DASHBOARD, 'package.json'), 'utf8'));
  const isInstalled = (name: string) => PACKAGES.some((folder) => existsSync(join(folder, name, 'package.json')));
  return Object.keys(dependencies).filter((name) => !isInstalled(name));
}
