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

/**
 * Finds the page with the largest first load: scripts, styles and fonts, as gzip, which every browser also accepts over
 * plain HTTP.
 */
export function firstLoad({ root, output, site }: FirstLoadFolders): { readonly page: string; readonly kB: number } {
  const manifest: Manifest = JSON.parse(readFileSync(join(output, '.vite/manifest.json'), 'utf8'));
  const named = (prefix: string) => Object.entries(manifest).filter(([, { name }]) => name?.startsWith(prefix));
  const nodes = named('nodes/').map(([name, { src }]) => ({ name, source: sourceOf(join(root, src ?? '')) }));
  const entries = named('entry/').map(([name]) => name);
  const pages = nodes.filter(({ source }) => source.endsWith('+page.svelte'));
  const sizes = pages.map(({ name, source }) => {
    const layouts = nodes.filter((node) => isLayoutOf(node.source, source)).map((node) => node.name);
    const files = closure(manifest, [...entries, ...layouts, name]);
    return { page: pageName(source), bytes: sum([...files, 'index.html'], site) };
  });
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  if (!largest) throw new Error('vite wrote no pages: has the layout of its manifest changed?');
  return { page: largest.page, kB: Math.round(largest.bytes / 1_000) };
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
