// `npm run package [-- FOLDER]` makes the npm package of svc, which runs with `npx svc serve` on the user's own Node 24. It has the
// packages that svc needs in it, in the versions of package-lock.json and without what is never run
// (docs/decisions/0102-npm-package.md). `npm run sbom` prints the CycloneDX document that the package has.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LockedPackages, productionPackages } from './productionPackages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** They are read at run time, or belong to a package. */
const COPIED = ['dashboard/build', 'src/evidence/page/verify.html', 'LICENSE', 'CHANGELOG.md', 'docs/settings.md'];
/** A relative path of a module in a string: of an import, or of the program of a thread. */
const MODULE = /(['"])(\.{1,2}\/[^'"\n]*?)\.ts\1/g;

/** Types, source maps, sources of what was compiled and texts for readers are never run; licences stay. */
const NOT_RUN = /\.(ts|cts|mts|map|flow|md|markdown|tsbuildinfo)$/i;

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

const readme = `# svc

Self-hosted gateway that pools provider accounts, relays model requests and keeps every change as an event.

    SVC_DATA_DIR=./data npx svc serve     # needs Node 24.15 or later
    npx svc help

Settings are environment variables: docs/settings.md. MALLOC_ARENA_MAX=2 in the environment saves memory on Linux.
`;

const staging = mkdtempSync(join(tmpdir(), 'svc-package-'));
try {
  stage(staging);
  const sbom = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: staging,
    encoding: 'utf8',
    maxBuffer: 64e6,
  });
  if (process.argv[2] === '--sbom') process.stdout.write(sbom);
  else {
    write(join(staging, 'sbom.cdx.json'), sbom);
    const into = resolve(process.argv[2] ?? root);
    execFileSync('npm', ['pack', staging, '--pack-destination', into, '--silent'], { stdio: 'inherit' });
  }
} finally {
  rmSync(staging, { recursive: true, force: true });
}

function stage(folder: string): void {
  if (!existsSync(join(root, 'dashboard/build/index.html')))
    execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' });
  for (const path of COPIED) cpSync(join(root, path), join(folder, path), { recursive: true });
  // Node strips no types below node_modules.
  for (const path of globSync('{src,projections}/**/*.{ts,mjs}', { cwd: root })) {
    if (/\.(test|support)\.ts$/.test(path) || path.startsWith('src/evidence/page/browser/')) continue;
    write(join(folder, path.replace(/\.ts$/, '.js')), toJavaScript(readFileSync(join(root, path), 'utf8'), path));
  }
  const manifest = manifestOf(readJson<Manifest>('package.json'));
  write(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const { packages } = readJson<{ packages: LockedPackages }>('package-lock.json');
  for (const path of productionPackages(packages, Object.keys(manifest.dependencies)))
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: (source) => isRun(source, path) });
  // The semi-space is that of `npm start`.
  write(join(folder, 'svc.mjs'), "#!/usr/bin/env -S node --max-semi-space-size=16\nimport './src/start.mjs';\n", 0o755);
  write(join(folder, 'README.md'), readme);
}

function toJavaScript(source: string, path: string): string {
  return (path.endsWith('.ts') ? stripTypeScriptTypes(source) : source).replace(MODULE, '$1$2.js$1');
}

function manifestOf({ version, description, license, dependencies }: Manifest) {
  const { node: _, ...needed } = dependencies;
  return {
    name: 'svc',
    version,
    description,
    license,
    type: 'module',
    bin: { svc: 'svc.mjs' },
    engines: { node: '>=24.15' },
    dependencies: needed,
    bundleDependencies: true,
  };
}

/** @param of the package; those that are nested in it are copied by themselves */
function isRun(source: string, of: string): boolean {
  const name = relative(join(root, of), source);
  return (
    !/(^|\/)(node_modules|\.bin)(\/|$)/.test(name) && (!NOT_RUN.test(name) || /licen[cs]e|notice|copying/i.test(name))
  );
}

function readJson<Content>(name: string): Content {
  return JSON.parse(readFileSync(join(root, name), 'utf8')) as Content;
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}
