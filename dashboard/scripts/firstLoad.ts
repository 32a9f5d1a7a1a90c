// Measures, at every build, how much a browser fetches before it can show a page.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Without the font, which is loaded when the first text is shown. */
const LIMIT_KB = 165;
/** Of the pages that are opened first: menus and dialogs come later (docs/decisions/0139-menus-and-dialogs-after-the-first-view.md). */
const LIMIT_OF_FIRST_KB = 110;
const OPENED_FIRST = ['/', '/request-logs'];

/** The manifest of vite: what each file of the build imports. */
type Manifest = Readonly<Record<string, ManifestEntry>>;

interface ManifestEntry {
  readonly name?: string;
  readonly src?: string;
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

export interface FirstLoadFolders {
  /** Of the sources. */
  readonly root: string;
  /** The output of vite. */
  readonly output: string;
  /** The site built from it. */
  readonly site: string;
}

/** What each page loads before it can be shown: scripts and styles. */
export interface PageFiles {
  /** Its path. */
  readonly page: string;
  readonly files: readonly string[];
  /** What its module imports at once without waiting for it. */
  readonly next: readonly string[];
}

/** @returns the files of each page; those of all pages, which the HTML names, are among them */
export function filesOfPages({ root, output }: FirstLoadFolders): readonly PageFiles[] {
  const manifest: Manifest = JSON.parse(readFileSync(join(output, '.vite/manifest.json'), 'utf8'));
  const named = (prefix: string) => Object.entries(manifest).filter(([, { name }]) => name?.startsWith(prefix));
  const nodes = named('nodes/').map(([name, { src }]) => ({ name, source: sourceOf(join(root, src ?? '')) }));
  const entries = named('entry/').map(([name]) => name);
  // SvelteKit loads the page for errors before it starts any other.
  const errors = nodes.filter(({ source }) => source === 'src/routes/+error.svelte').map(({ name }) => name);
  const pages = nodes.filter(({ source }) => source.endsWith('+page.svelte'));
  if (pages.length === 0) throw new Error('vite wrote no pages: has the layout of its manifest changed?');
  return pages.map(({ name, source }) => {
    const layouts = nodes.filter((node) => isLayoutOf(node.source, source)).map((node) => node.name);
    const files = closure(manifest, [...entries, ...errors, ...layouts, name]);
    const next = closure(manifest, importedAtOnce(manifest, name, join(root, source)));
    return { page: pageName(source), files: [...files], next: [...next].filter((file) => !files.has(file)) };
  });
}

/** The modules that a page imports by `const <name> = import(...)` while it is evaluated; others wait for a click. */
function importedAtOnce(manifest: Manifest, page: string, source: string): string[] {
  const components = [...readFileSync(source, 'utf8').matchAll(/^const \w+ = import\('\.\/(\w+)\.svelte'\)/gm)].map(
    ([, component]) => component,
  );
  const { dynamicImports = [] } = manifest[page] as ManifestEntry;
  return dynamicImports.filter((name) => components.includes(manifest[name]?.name));
}

/** What a page loads first, and how much it may be, as gzip, which every browser also accepts over plain HTTP. */
export interface FirstLoad {
  readonly page: string;
  readonly kB: number;
  readonly limitKb: number;
}

/** @returns the first load of each page, the largest first */
export function firstLoads(pages: readonly PageFiles[], site: string): readonly FirstLoad[] {
  return pages
    .map(({ page, files }) => ({
      page,
      kB: Math.round(sum([...files, 'index.html'], site) / 1_000),
      limitKb: OPENED_FIRST.includes(page) ? LIMIT_OF_FIRST_KB : LIMIT_KB,
    }))
    .sort((a, b) => b.kB - a.kB);
}

/**
 * The scripts and styles of each page, as the service announces them: see `createDashboard`. The largest first, as it takes longest, and
 * what the page can be shown without last.
 */
export function announcedFiles(pages: readonly PageFiles[], site: string): Readonly<Record<string, readonly string[]>> {
  const announced = (files: readonly string[]) =>
    files
      .filter((file) => /\.(js|css)$/.test(file))
      .map((file) => ({ file, bytes: sizeOf(join(site, file)) }))
      .sort((a, b) => b.bytes - a.bytes || (a.file < b.file ? -1 : 1))
      .map(({ file }) => `/${file}`);
  return Object.fromEntries(pages.map(({ page, files, next }) => [page, [...announced(files), ...announced(next)]]));
}

function closure(
  manifest: Manifest,
  names: readonly string[],
  found: Set<string> = new Set(),
  seen: Set<string> = new Set(),
): Set<string> {
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    const { file, css = [], imports = [] } = manifest[name] as ManifestEntry;
    for (const path of [file, ...css]) found.add(path);
    closure(manifest, imports, found, seen);
  }
  return found;
}

const sum = (paths: readonly string[], site: string): number =>
  paths.reduce((bytes, path) => bytes + sizeOf(join(site, path)), 0);

function sizeOf(path: string): number {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const name = path.slice(folder.length + 1);
  return statSync(readdirSync(folder).includes(`${name}.gz`) ? `${path}.gz` : path).size;
}

/** The component of a router node, for instance `src/routes/+layout.svelte`. */
const sourceOf = (path: string): string => /src\/routes\/[^"]*\.svelte/.exec(readFileSync(path, 'utf8'))?.[0] ?? '';

const isLayoutOf = (source: string, page: string): boolean =>
  source.endsWith('+layout.svelte') && page.startsWith(source.replace('+layout.svelte', ''));

const pageName = (source: string): string => source.replace(/^src\/routes|\/\+page\.svelte$|\/\([^)]*\)/g, '') || '/';
