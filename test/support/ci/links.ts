import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Paths of all tracked files that exist, relative to the root of the repository. */
export const trackedFiles = (): string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && existsSync(root + path));

export const textOf = (path: string): string => readFileSync(root + path, 'utf8');

/** A reference to a document, or to a heading in it. */
export interface Reference {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly anchor: string | undefined;
}

const FENCE = /^(?:```|~~~)/;
const LINK = /\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g;
/** Documents are cited from the root: `docs/clients.md#codex-ignores-error-events`. */
const CITATION =
  /(?<![\w./-])((?:docs\/|bench\/|test\/e2e\/)[\w/.-]*\.md|CONTRIBUTING\.md|CHANGELOG\.md)(?:#([\w-]+))?/g;

function* proseOf(markdown: string): Generator<string> {
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode;
    else if (!isCode) yield line;
  }
}

/** Anchors of all headings, as GitHub makes them: repeated titles are numbered. */
export function anchorsIn(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const line of proseOf(markdown)) {
    const title = /^#{1,6} +(.+?)(?: +#+)? *$/.exec(line)?.[1]?.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    if (title === undefined) continue;
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Links of a Markdown file into the repository. @param path of the file itself */
export function linksIn(markdown: string, path: string): Reference[] {
  const prose = [...proseOf(markdown)].join('\n');
  return [...prose.matchAll(LINK)]
    .filter(([, target = '']) => !/^[a-z][a-z0-9+.-]*:/i.test(target))
    .map(([, target = '', anchor]) => ({
      path: target === '' ? path : posix.normalize(posix.join(posix.dirname(path), target)),
      anchor,
    }));
}

/** References to documents in a source file, mostly in comments. */
export const citationsIn = (source: string): Reference[] =>
  [...source.matchAll(CITATION)].map(([, path = '', anchor]) => ({ path, anchor }));

const known = new Map<string, ReadonlySet<string>>();

/** @returns why a reference is broken; undefined when the file and its heading exist */
export function problemOf({ path, anchor }: Reference): string | undefined {
  if (!existsSync(root + path)) return `${path} does not exist`;
  if (anchor === undefined) return undefined;
  let anchors = known.get(path);
  if (!anchors) {
    anchors = path.endsWith('.md') ? anchorsIn(textOf(path)) : new Set();
    known.set(path, anchors);
  }
  return anchors.has(anchor) ? undefined : `${path} has no heading #${anchor}`;
}
