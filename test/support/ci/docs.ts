// `npm run docs` writes the generated files: pages of docs/ and the dashboard's API types.

import { writeFileSync } from 'node:fs';
import { apiTypes } from './apiTypes.ts';
import { errorsDoc } from './errorsDoc.ts';
import { eventsDoc } from './eventsDoc.ts';

for (const [path, text] of [
  ['docs/errors.md', errorsDoc()],
  ['docs/events.md', eventsDoc()],
  ['dashboard/src/lib/api/openapi.d.ts', await apiTypes()],
] as const) {
  writeFileSync(new URL(`../../../${path}`, import.meta.url), text);
}
