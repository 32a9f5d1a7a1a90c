// Measures, at every build, how much a browser fetches before it can show a page.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const FIRST_LOAD_LIMIT_KB = 200;

/**
 * Finds the page with the largest first load: scripts, styles and fonts, as gzip, which every browser also accepts over
 * plain HTTP.
 * @param {{ root: string, output: string, site: string }} folders sources, output of vite, the site built from it
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

/** A page with Latin text fetches one subset of each font. */
const isFetched = (path) => !path.endsWith('.woff2') || /latin-wght/.test(path.replace('latin-ext', ''));

function sum(paths, site) {
  return paths.filter(isFetched).reduce((bytes, path) => bytes + sizeOf(join(site, path)), 0);
}

function sizeOf(path) {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const name = path.slice(folder.length + 1);
  return statSync(readdirSync(folder).includes(`${name}.gz`) ? `${path}.gz` : path).size;
}

/** The component of a router node, for instance `src/routes/+layout.svelte`. */
const sourceOf = (path) => /src\/routes\/[^"]*\.svelte/.exec(readFileSync(path, 'utf8'))?.[0] ?? '';

const isLayoutOf = (source, page) =>
  source.endsWith('+layout.svelte') && page.startsWith(source.replace('+layout.svelte', ''));

const pageName = (source) => source.replace(/^src\/routes|\/\+page\.svelte$|\/\([^)]*\)/g, '') || '/';
