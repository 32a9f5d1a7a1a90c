// `npm run lock`: removes from package-lock.json what packages demand of Node, where an npm with Node 20 or later would complain.
// npm compares it with the Node that runs npm: it prints five lines for each package, and leaves out optional ones, without
// which the dashboard cannot be built. svc and its tools run with the Node 24 that npm installs.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LOCK_FILE = fileURLToPath(new URL('../../../package-lock.json', import.meta.url));

interface LockFile {
  readonly packages: Record<string, { engines?: { node?: string } }>;
}

/** Whether a range of versions contains 20.0.0 and all later ones. Of another form than `>=20` it counts as one that does not. */
export const acceptsNode20AndLater = (range: string): boolean =>
  range.split('||').some((part) => {
    const [, major] = /^\s*>=?\s*(\d+)(?:\.[\dx]+)*\s*$/.exec(part) ?? [];
    const isAny = part.trim() === '*';
    return isAny || (major !== undefined && (Number(major) < 20 || /^\s*>=\s*20(\.0)*\s*$/.test(part)));
  });

/** Paths of the packages in the lock file that refuse some Node from 20 on. */
export const packagesThatRefuse = ({ packages }: LockFile): string[] =>
  Object.entries(packages)
    .filter(([, { engines }]) => engines?.node !== undefined && !acceptsNode20AndLater(engines.node))
    .map(([path]) => path);

/** The lock file of this repository. */
export const readLockFile = (): LockFile => JSON.parse(readFileSync(LOCK_FILE, 'utf8'));

if (import.meta.main) {
  const lock = readLockFile();
  for (const path of packagesThatRefuse(lock)) delete lock.packages[path]?.engines;
  writeFileSync(LOCK_FILE, `${JSON.stringify(lock, null, 2)}\n`);
}
