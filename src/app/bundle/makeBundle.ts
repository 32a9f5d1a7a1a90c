import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Plugin } from 'rolldown';
import { BUNDLED, bundlesIn, CHECKOUT, MANIFEST, stampOf, versionOf } from './bundledCommands.mjs';
import { markConstantsPure } from './markConstantsPure.ts';

/**
 * Makes the bundle of the commands that `bundledCommands.mjs` lists, of the sources of a checkout, and makes it the current one in one
 * step. A command that has begun with the one before can load the rest of it.
 * @returns the number of sources
 * @throws when the sources cannot be bundled, or the folder `node_modules` cannot be written to
 */
export async function makeBundle(checkout: string = CHECKOUT): Promise<number> {
  const { rolldown } = await import('rolldown');
  const bundles = bundlesIn(checkout);
  const name = randomUUID();
  const sources: Record<string, string> = {};
  const packages: Record<string, string> = {};
  const management = join(checkout, 'src/management/');
  const plugin: Plugin = {
    name: 'svc-commands',
    resolveDynamicImport: (specifier, importer) =>
      typeof specifier === 'string' && isLeftOut(specifier, importer) ? { id: specifier, external: true } : null,
    transform(code, id) {
      const [, packageName] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
      if (packageName !== undefined) packages[packageName] = versionOf(checkout, packageName);
      else if (id.startsWith('/')) sources[relative(checkout, id)] = stampOf(id);
      // What a module opens beside itself, such as the program of a thread, stays where it is.
      const place = relative(join(bundles, name), id).split(sep).join('/');
      const placed = code.replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`);
      return id.startsWith(management) ? markConstantsPure(placed) : placed;
    },
  };
  const build = await rolldown({
    input: { cli: join(checkout, 'src/app/cli.ts') },
    platform: 'node',
    plugins: [plugin],
    logLevel: 'silent',
    resolve: { symlinks: false },
  });
  try {
    await build.write({
      dir: join(bundles, name),
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    });
  } finally {
    await build.close();
  }
  const manifest = join(bundles, `${name}.json`);
  writeFileSync(manifest, JSON.stringify({ entry: `${name}/cli.mjs`, sources, packages }));
  const before = entryOf(join(bundles, MANIFEST));
  renameSync(manifest, join(bundles, MANIFEST));
  for (const other of readdirSync(bundles)) {
    if (other !== MANIFEST && other !== name && other !== before)
      rmSync(join(bundles, other), { recursive: true, force: true });
  }
  return Object.keys(sources).length;
}

/** Other commands, which the bundle does not run, and packages that a command loads only when it needs them. */
const isLeftOut = (specifier: string, importer: string | undefined): boolean =>
  !specifier.startsWith('.') ||
  (importer?.endsWith('/app/commands.ts') === true &&
    !BUNDLED.some((name) => specifier.endsWith(`/${name}Command.ts`)));

function entryOf(manifest: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(manifest, 'utf8')).entry as string).split('/')[0];
  } catch {
    return undefined;
  }
}
