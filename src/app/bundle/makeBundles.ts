import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Plugin } from 'rolldown';
import {
  BUNDLES,
  type BundleName,
  bundlesIn,
  CHECKOUT,
  currentBundle,
  manifestOf,
  QUICK,
  stampOf,
  versionOf,
} from './bundles.mjs';
import { markConstantsPure } from './markConstantsPure.ts';
import { threadPrograms } from './threadPrograms.mjs';

/** Bundled too: ninety modules, of which most are messages in other languages. Other packages are loaded from where they are. */
const BUNDLED_PACKAGES = ['zod'];

/**
 * How many folders a bundle has by turns: a service goes on with its own, and starts threads from it later. They are few and numbered, as
 * Node's compile cache, which an image keeps in the data folder, has an entry for each path of a module.
 */
const FOLDERS = 10;

/**
 * Makes each bundle that is not current (docs/decisions/0132-bundled-service.md) and makes it the current one in one step.
 * @returns the number of sources of what was made; 0 when all are current
 * @throws when the sources cannot be bundled, or the folder `node_modules` cannot be written to
 */
export async function makeBundles(checkout: string = CHECKOUT): Promise<number> {
  const sources = new Set<string>();
  for (const bundle of BUNDLES) {
    if (currentBundle(bundle, checkout) !== undefined) continue;
    for (const source of await makeBundle(bundle, checkout)) sources.add(source);
  }
  return sources.size;
}

/** @returns its sources */
async function makeBundle(bundle: BundleName, checkout: string): Promise<readonly string[]> {
  const parent = bundlesIn(checkout);
  const draft = join(parent, `draft-${randomUUID()}`);
  const parts: Parts = { checkout, folder: draft, sources: {}, packages: {} };
  const { sources, packages } = parts;
  const cli = 'app/cli.ts';
  if (bundle === 'quick') await build(join(draft, 'app'), { cli }, parts, quickOnly(checkout));
  else {
    const programs = { cli, serviceSignals: 'app/serviceSignals.ts' };
    const threads = Object.fromEntries(threadPrograms(checkout).map((path) => [programOf(path), path]));
    await build(join(draft, 'app'), programs, parts, withBundledThreads(checkout));
    await build(join(draft, 'threads'), threads, parts, withBundledThreads(checkout));
  }
  const folder = freeFolder(bundle, checkout);
  rmSync(join(parent, folder), { recursive: true, force: true });
  renameSync(draft, join(parent, folder));
  writeFileSync(`${draft}.json`, JSON.stringify({ folder, sources, packages }));
  renameSync(`${draft}.json`, manifestOf(bundle, checkout));
  return Object.keys(sources);
}

/** @returns the first name that no folder has, else that of the folder made first; never that of the current one */
function freeFolder(bundle: BundleName, checkout: string): string {
  const madeAt = (name: string): number =>
    statSync(join(bundlesIn(checkout), name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const current = currentFolder(bundle, checkout);
  const names = Array.from({ length: FOLDERS }, (_, index) => `${bundle}-${index}`).filter((name) => name !== current);
  return names.sort((a, b) => madeAt(a) - madeAt(b))[0] as string;
}

function currentFolder(bundle: BundleName, checkout: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(manifestOf(bundle, checkout), 'utf8')) as { folder?: string }).folder;
  } catch {
    return undefined;
  }
}

interface Parts {
  readonly checkout: string;
  readonly folder: string;
  /** By path, what `stampOf` says. */
  readonly sources: Record<string, string>;
  /** By name, the version. */
  readonly packages: Record<string, string>;
}

/** Bundles programs into a folder. @param programs by name, their paths below `src` */
async function build(folder: string, programs: Record<string, string>, parts: Parts, first: Plugin): Promise<void> {
  const { rolldown } = await import('rolldown');
  const { checkout, sources, packages } = parts;
  const plugin: Plugin = {
    name: 'svc-sources',
    resolveId(specifier, importer) {
      if (importer === undefined || specifier.startsWith('.') || specifier.startsWith('/')) return null;
      const isBundled = BUNDLED_PACKAGES.some((name) => specifier === name || specifier.startsWith(`${name}/`));
      return isBundled ? null : { id: specifier, external: true };
    },
    transform(code, id) {
      const [, packageName] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
      if (packageName !== undefined) packages[packageName] = versionOf(checkout, packageName);
      else if (id.startsWith('/')) sources[relative(checkout, id)] = stampOf(id);
      // What a module opens beside itself stays where it is.
      const place = relative(folder, id).split(sep).join('/');
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
    },
  };
  const input = Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, join(checkout, 'src', path)]));
  const bundler = await rolldown({
    input,
    platform: 'node',
    plugins: [first, plugin],
    logLevel: 'silent',
    resolve: { symlinks: false },
  });
  try {
    await bundler.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name].mjs',
    });
  } finally {
    await bundler.close();
  }
}

/** The modules that import each command when it is called. */
const COMMAND_TABLE = /\/app\/(?:commands|commandTable\/\w+)\.ts$/;

/** Leaves out other commands, which this bundle does not run, and constants that its commands do not use. */
function quickOnly(checkout: string): Plugin {
  const management = join(checkout, 'src/management/');
  const isLeftOut = (specifier: string, importer: string | undefined): boolean =>
    importer !== undefined &&
    COMMAND_TABLE.test(importer) &&
    !QUICK.some((name) => specifier.endsWith(`/${name}Command.ts`));
  return {
    name: 'svc-quick',
    resolveDynamicImport: (specifier, importer) =>
      typeof specifier === 'string' && isLeftOut(specifier, importer) ? { id: specifier, external: true } : null,
    transform: (code, id) => (id.startsWith(management) ? markConstantsPure(code) : null),
  };
}

/** Lets modules start the bundled programs of threads. */
const withBundledThreads = (checkout: string): Plugin => ({
  name: 'svc-threads',
  transform: (code, id) =>
    code.replace(/new URL\('(\.\/[^']+\.ts)', import\.meta\.url\)/g, (_, path: string) => {
      const program = programOf(relative(join(checkout, 'src'), join(dirname(id), path)));
      // Not `import.meta.url`, which `svc-sources` replaces.
      return `new URL('../threads/${program}.mjs', import.meta['url'])`;
    }),
});

/** The name of a thread's program, e.g. `readModels.sqlite.readModelsWorker`: others have the same file name. */
const programOf = (path: string): string => path.replace(/\.ts$/, '').split(sep).join('.');
