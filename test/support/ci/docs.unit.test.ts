import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiTypes } from './apiTypes.ts';
import { errorsDoc } from './errorsDoc.ts';
import { eventsDoc } from './eventsDoc.ts';

const committed = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const outdated = 'the file is out of date: run "npm run docs" and commit what it writes';

test('docs/errors.md matches the catalogue of errors', () =>
  expect(committed('docs/errors.md'), outdated).toBe(errorsDoc()));

test('docs/events.md matches the registry of events', () =>
  expect(committed('docs/events.md'), outdated).toBe(eventsDoc()));

test('the types of the dashboard match the OpenAPI document of the service', async () =>
  expect(committed('dashboard/src/lib/api/openapi.d.ts'), outdated).toBe(await apiTypes()));

test('no generated page contains undefined, NaN or [object Object]', () => {
  for (const page of [errorsDoc(), eventsDoc()]) expect(page).not.toMatch(/undefined|NaN|\[object/);
});
