// Measures, at every build, how much a browser fetches before it can show a page.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const FIRST_LOAD_LIMIT_KB = 200;

/** The manifest of vite: what each file of the build imports. */
type Manifest = Readonly<Record<string, ManifestEntry>>;

interface ManifestEntry {
  readonly name?: string;
  readonly src?: string;
  readonly file: string;
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
  readonly imports?: readonly string[];
}

export interface FirstLoadFolders {
  /** Of the sources. */
  readonly root: string;
  /** The output of vite. */
  readonly output: string;
  /** The site built from it. */
  readonly site: string;
}

/** What each page loads before it can be shown: scripts, styles and fonts. */
export interface PageFiles {
  /** Its path. */
  readonly page: string;
  readonly files: readonly string[];
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
    return { page: pageName(source), files: [...closure(manifest, [...entries, ...errors, ...layouts, name])] };
  });
}

/** Finds the page with the largest first load, as gzip, which every browser also accepts over plain HTTP. */
export function firstLoad(pages: readonly PageFiles[], site: string): { readonly page: string; readonly kB: number } {
  const sizes = pages.map(({ page, files }) => ({ page, bytes: sum([...files, 'index.html'], site) }));
  const { page, bytes } = sizes.reduce((largest, each) => (each.bytes > largest.bytes ? each : largest));
  return { page, kB: Math.round(bytes / 1_000) };
}

/** The scripts and styles of each page that the HTML does not name, as the service announces them: see `createDashboard`. */
export function announcedFiles(pages: readonly PageFiles[], html: string): Readonly<Record<string, readonly string[]>> {
  const isAnnounced = (file: string) => /\.(js|css)$/.test(file) && !html.includes(file);
  return Object.fromEntries(
    pages.map(({ page, files }) => [page, files.filter(isAnnounced).map((file) => `/${file}`)]),
  );
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
    const { file, css = [], assets = [], imports = [] } = manifest[name] as ManifestEntry;
    for (const path of [file, ...css, ...assets]) found.add(path);
    closure(manifest, imports, found, seen);
  }
  return found;
}

/** A page with Latin text fetches one subset of each font. */
const isFetched = (path: string): boolean =>
  !path.endsWith('.woff2') || /latin-wght/.test(path.replace('latin-ext', ''));

const sum = (paths: readonly string[], site: string): number =>
  paths.filter(isFetched).reduce((bytes, path) => bytes + sizeOf(join(site, path)), 0);

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
