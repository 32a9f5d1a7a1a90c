// What a browser has to fetch before it can show a page: measured at every build.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const FIRST_LOAD_LIMIT_KB = 200;

/**
 * The page that takes most, with everything it imports before it shows: scripts, styles, fonts, as gzip, which every
 * browser accepts over plain http too.
 * @param {{ root: string, output: string, site: string }} folders the sources, what vite wrote, the site made from it
 */
export function firstLoad({ root, output, site }) {
  const manifest = JSON.parse(readFileSync(join(output, '.vite/manifest.json'), 'utf8'));
  const nodes = Object.keys(manifest)
    .filter((name) => manifest[name].name?.startsWith('nodes/'))
    .map((name) => ({ name, source: sourceOf(join(root, manifest[name].src)) }));
  const entries = Object.keys(manifest).filter((name) => manifest[name].name?.startsWith('entry/'));
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

function closure(manifest, names, found = new Set(), seen = new Set()) {
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    const { file, css = [], assets = [], imports = [] } = manifest[name];
    for (const path of [file, ...css, ...assets]) found.add(path);
    closure(manifest, imports, found, seen);
  }
  return found;
}

/** Of fonts, the one subset that Latin text needs. */
const isFetched = (path) => !path.endsWith('.woff2') || /latin-wght/.test(path.replace('latin-ext', ''));

function sum(paths, site) {
  return paths.filter(isFetched).reduce((bytes, path) => bytes + sizeOf(join(site, path)), 0);
}

function sizeOf(path) {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const name = path.slice(folder.length + 1);
  return statSync(readdirSync(folder).includes(`${name}.gz`) ? `${path}.gz` : path).size;
}

/** The component that a node of the router was made from, e.g. `src/routes/+layout.svelte`. */
const sourceOf = (path) => /src\/routes\/[^"]*\.svelte/.exec(readFileSync(path, 'utf8'))?.[0] ?? '';

const isLayoutOf = (source, page) =>
  source.endsWith('+layout.svelte') && page.startsWith(source.replace('+layout.svelte', ''));

const pageName = (source) => source.replace(/^src\/routes|\/\+page\.svelte$|\/\([^)]*\)/g, '') || '/';
