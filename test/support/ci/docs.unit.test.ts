import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiTypes, liveDocument } from './apiTypes.ts';
import { errorsDoc } from './errorsDoc.ts';
import { eventsDoc } from './eventsDoc.ts';
import { momentsDoc } from './momentsDoc.ts';
import { operationRoles } from './operationRoles.ts';
import { rolesDoc } from './rolesDoc.ts';

const committed = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const outdated = 'the file is out of date: run "npm run docs" and commit what it writes';

test('docs/errors.md matches the catalogue of errors', () =>
  expect(committed('docs/errors.md'), outdated).toBe(errorsDoc()));

test('docs/events.md matches the registry of events', () =>
  expect(committed('docs/events.md'), outdated).toBe(eventsDoc()));

test('docs/earlier-moments.md matches the declarations of the routes', async () =>
  expect(committed('docs/earlier-moments.md'), outdated).toBe(await momentsDoc()));

test('the types and roles of the dashboard and docs/roles.md match the OpenAPI document of the service', async () => {
  const document = await liveDocument();
  expect(committed('dashboard/src/lib/api/openapi.d.ts'), outdated).toBe(await apiTypes(document));
  expect(committed('dashboard/src/lib/api/operationRoles.ts'), outdated).toBe(operationRoles(document));
  expect(committed('docs/roles.md'), outdated).toBe(rolesDoc(document));
}, 60_000);

test('no generated page contains undefined, NaN or [object Object]', () => {
  for (const page of [errorsDoc(), eventsDoc()]) expect(page).not.toMatch(/undefined|NaN|\[object/);
});
