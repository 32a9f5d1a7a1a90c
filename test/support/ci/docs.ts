// `npm run docs` writes the generated files: pages of docs/, the dashboard's API types, the recorded fields of events.

import { writeFileSync } from 'node:fs';
import { apiTypes, liveDocument } from './apiTypes.ts';
import { errorsDoc } from './errorsDoc.ts';
import { eventFields } from './eventFields.ts';
import { eventsDoc } from './eventsDoc.ts';
import { momentsDoc } from './momentsDoc.ts';
import { operationRoles } from './operationRoles.ts';
import { rolesDoc } from './rolesDoc.ts';

const document = await liveDocument();

for (const [path, text] of [
  ['docs/errors.md', errorsDoc()],
  ['docs/events.md', eventsDoc()],
  ['docs/earlier-moments.md', await momentsDoc()],
  ['docs/roles.md', rolesDoc(document)],
  ['test/histories/fields.txt', eventFields()],
  ['dashboard/src/lib/api/openapi.d.ts', await apiTypes(document)],
  ['dashboard/src/lib/api/operationRoles.ts', operationRoles(document)],
] as const) {
  writeFileSync(new URL(`../../../${path}`, import.meta.url), text);
}
