import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { BUNDLES, bundlesIn, currentBundle, manifestOf } from '../../src/app/bundle/bundles.mjs';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = ['src', 'projections', 'package.json', 'package-lock.json', 'test/support', 'test/contract'];
const COPIED_OF_DASHBOARD = [
  'scripts',
  'static',
  'package.json',
  'tsconfig.json',
  'vite.config.ts',
  'src/app.html',
  'src/routes/+layout.ts',
];

export interface Checkout {
  readonly path: string;
  /** The program that `npm start` runs. */
  readonly start: string;
  /** Path of a file of the dashboard. */
  dashboard(name: string): string;
  /** Writes the only page of the dashboard. */
  writePage(svelte: string): void;
}

/**
 * A fresh clone after `npm ci`, which the test may change and which is removed at the end. Its dashboard is not built and has one
 * page, so that the real tools build it in two seconds.
 * @param missing packages that are not installed
 * @param isBundled has the bundles of this checkout, so that a start takes half of the CPU time
 */
export function aCheckout({
  missing = [],
  isBundled = false,
}: {
  readonly missing?: readonly string[];
  readonly isBundled?: boolean;
} = {}): Checkout {
  const path = mkdtempSync(join(tmpdir(), 'svc-checkout-'));
  onTestFinished(() => {
    makeWritable(path);
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  // With their times, by which a bundle knows its sources.
  const options = { recursive: true, preserveTimestamps: true };
  for (const name of COPIED) cpSync(join(REPOSITORY, name), join(path, name), options);
  for (const name of COPIED_OF_DASHBOARD)
    cpSync(join(REPOSITORY, 'dashboard', name), join(path, 'dashboard', name), { recursive: true });
  for (const folder of ['node_modules', 'dashboard/node_modules']) {
    if (!existsSync(join(REPOSITORY, folder))) continue;
    mkdirSync(join(path, folder), { mode: 0o755 });
    for (const name of readdirSync(join(REPOSITORY, folder))) {
      const isPackage = !name.startsWith('.') || name === '.bin';
      if (isPackage && !missing.includes(name)) symlinkSync(join(REPOSITORY, folder, name), join(path, folder, name));
    }
  }
  if (isBundled) copyBundles(path);
  const checkout: Checkout = {
    path,
    start: join(path, 'src/start.mjs'),
    dashboard: (name) => join(path, 'dashboard', name),
    writePage: (svelte) => writeFileSync(join(path, 'dashboard/src/routes/+page.svelte'), svelte),
  };
  checkout.writePage('<h1>svc</h1>');
  return checkout;
}

/** Not links: a bundle finds packages and sources from where it is. */
function copyBundles(checkout: string): void {
  for (const bundle of BUNDLES) {
    const current = currentBundle(bundle, REPOSITORY);
    if (current === undefined) continue;
    const folder = fileURLToPath(current);
    cpSync(folder, join(bundlesIn(checkout), basename(folder)), { recursive: true });
    cpSync(manifestOf(bundle, REPOSITORY), manifestOf(bundle, checkout));
  }
}

/** Changes the permissions of the folders of a tree, without following links. */
export function setFolderModes(path: string, mode: number): void {
  chmodSync(path, 0o755);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) setFolderModes(join(path, entry.name), mode);
  }
  chmodSync(path, mode);
}

const makeWritable = (path: string): void => setFolderModes(path, 0o755);
