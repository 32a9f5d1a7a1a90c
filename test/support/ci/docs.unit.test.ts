import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorsDoc } from './errorsDoc.ts';
import { eventsDoc } from './eventsDoc.ts';

const written = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const outdated = 'the page is older than the code: run "npm run docs" and commit what it writes';

test('docs/errors.md says what the catalogue of errors says', () =>
  expect(written('errors.md'), outdated).toBe(errorsDoc()));

test('docs/events.md says what the registry of events says', () =>
  expect(written('events.md'), outdated).toBe(eventsDoc()));

test('no page shows a value that is not there', () => {
  for (const page of [errorsDoc(), eventsDoc()]) expect(page).not.toMatch(/undefined|NaN|\[object/);
});
