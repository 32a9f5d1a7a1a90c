import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENTRY_PAGES, routes } from './support/everyPage.ts';

test('the navigation lists every top-level page', () => {
  const source = readFileSync(new URL('../../dashboard/src/lib/shell/pages.ts', import.meta.url), 'utf8');
  const listed = [...source.matchAll(/path: '([^']+)'/g)].map(([, path]) => path as string);
  const topLevel = routes.filter((path) => /^\/[^/]*$/.test(path) && !ENTRY_PAGES.includes(path));
  expect(listed.toSorted()).toEqual(topLevel);
});
