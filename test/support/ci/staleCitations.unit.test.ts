import { expect, test } from 'vitest';
import { textOf, trackedFiles } from './links.ts';

/** Notes that were never part of the repository, and codes that only they explain. */
const STALE: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a note', /(?<![\w/-])(?:reference\/)?(?:design|event-sourcing|provider-and-predecessor|performance|peers)\.md/],
  // Documents link to each other by their own paths: `](clients.md)`, `](../clients.md)`.
  ['clients.md without docs/', /(?<!docs\/)(?<!\]\((?:\.\.\/)*)(?<!\[)(?<![\w-])clients\.md/],
  ['the specification', /specification\.txt|[Ss]pecification, "|\b[Tt]he specification\b/],
  ['a folder of notes', /(?<![\w.-])(?:\/work\/)?shared\/(?:design|language|reference|specification|style)/],
  ['a code of a failure', /(?<![\w%#&\\$.])F(?:[1-9]|1[0-8])(?=[:,;)]|\.(?!\d)|\s+(?:to|and|or)\s|$)/],
  ['a section of a note', /(?<![\w.$-])(?:B[1-6]\.\d+[a-z]?|C\.[1-5]|A\.[1-5])(?![\w.(-])/],
  ['a row of a table', /(?:['"`]|\bsection \d+, )rows? \d+\b/],
  ['a numbered promise', /\b[Pp]romise \d+\b/],
];

/** Sections of standards are fine. */
const SECTION = /\b[Ss]ection \d+(?:\.\d+)*/;
const STANDARD = /\b(?:RFC|NIST|SP 800|ECMA|HTML|ISO)\b/;

const sources = trackedFiles().filter(
  (path) =>
    /\.(?:ts|mjs|js|svelte|css|grit|json|sh|ya?ml|lua|md)$|^\.ci\/|Dockerfile$/.test(path) &&
    !/package-lock\.json$|openapi\.d\.ts$|staleCitations\.unit\.test\.ts$/.test(path),
);

const staleIn = (path: string): string[] => {
  const lines = textOf(path).split('\n');
  return lines.flatMap((line, index) => {
    const found = STALE.filter(([, pattern]) => pattern.test(line)).map(([what]) => what);
    const around = `${lines[index - 1] ?? ''} ${line}`;
    if (SECTION.test(line) && !STANDARD.test(around)) found.push('a section of nothing');
    return found.map((what) => `${path}:${index + 1} cites ${what}: ${line.trim()}`);
  });
};

test('no source file cites a document or a code that the repository does not hold', () => {
  expect(sources.flatMap(staleIn)).toEqual([]);
});
