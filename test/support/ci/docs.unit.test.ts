import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiTypes } from './apiTypes.ts';
import { errorsDoc } from './errorsDoc.ts';
import { eventsDoc } from './eventsDoc.ts';

const written = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const outdated = 'the file is older than the code: run "npm run docs" and commit what it writes';

test('docs/errors.md says what the catalogue of errors says', () =>
  expect(written('docs/errors.md'), outdated).toBe(errorsDoc()));

test('docs/events.md says what the registry of events says', () =>
  expect(written('docs/events.md'), outdated).toBe(eventsDoc()));

test('the dashboard knows the API as the service answers it', async () =>
  expect(written('dashboard/src/lib/api/openapi.d.ts'), outdated).toBe(await apiTypes()));

test('no page shows a value that is not there', () => {
  for (const page of [errorsDoc(), eventsDoc()]) expect(page).not.toMatch(/undefined|NaN|\[object/);
});
