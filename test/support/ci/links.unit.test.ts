import { describe, expect, test } from 'vitest';
import { anchorsIn, citationsIn, linksIn, problemOf, textOf, trackedFiles } from './links.ts';

const files = trackedFiles();
const pages = files.filter((path) => path.endsWith('.md'));
const sources = files.filter((path) => /\.(?:ts|mjs|js|svelte|css|html|grit|json|sh|ya?ml|lua|md)$|^\.ci\//.test(path));

test.each(pages)('%s links only to files and headings that exist', (path) => {
  expect(linksIn(textOf(path), path).flatMap((link) => problemOf(link) ?? [])).toEqual([]);
});

test('comments cite only documents and headings that exist', () => {
  const wrong = sources.flatMap((path) =>
    citationsIn(textOf(path)).flatMap((citation) => {
      const problem = problemOf(citation);
      return problem === undefined ? [] : [`${path}: ${problem}`];
    }),
  );
  expect(wrong).toEqual([]);
});

describe('anchors', () => {
  test.each([
    ['## Retry-After is slept on literally', 'retry-after-is-slept-on-literally'],
    ['## Codex knows only `usage_limit_reached`', 'codex-knows-only-usage_limit_reached'],
    ['### SQLite: traps of node:sqlite', 'sqlite-traps-of-nodesqlite'],
    ['# `npm run bench:logs`', 'npm-run-benchlogs'],
    ['## A [link](other.md) in it', 'a-link-in-it'],
  ])('of %s is %s', (heading, anchor) => {
    expect([...anchorsIn(heading)]).toEqual([anchor]);
  });

  test('of equal headings are numbered, and code blocks have none', () => {
    expect([...anchorsIn('## Again\n```\n# code\n```\n## Again')]).toEqual(['again', 'again-1']);
  });
});

test('links are resolved from their own file, and other sites are left out', () => {
  const markdown =
    '[a](../provider.md#b) [c](#d) [e](https://example.org/f.md) [g](0003-performance-goals.md)\n```\n[code](none.md)\n```';
  expect(linksIn(markdown, 'docs/decisions/README.md')).toEqual([
    { path: 'docs/provider.md', anchor: 'b' },
    { path: 'docs/decisions/README.md', anchor: 'd' },
    { path: 'docs/decisions/0003-performance-goals.md', anchor: undefined },
  ]);
});

test('finds citations with and without a heading, in brackets and at the end of a sentence', () => {
  expect(citationsIn('// (docs/clients.md#ai-sdk), see docs/decisions/0002-promises.md. And bench/README.md')).toEqual([
    { path: 'docs/clients.md', anchor: 'ai-sdk' },
    { path: 'docs/decisions/0002-promises.md', anchor: undefined },
    { path: 'bench/README.md', anchor: undefined },
  ]);
});
