// `npm run docs`: writes the pages of docs/ that are made from code.

import { writeFileSync } from 'node:fs';
import { errorsDoc } from './errorsDoc.ts';
import { eventsDoc } from './eventsDoc.ts';

for (const [name, text] of [
  ['errors.md', errorsDoc()],
  ['events.md', eventsDoc()],
] as const) {
  writeFileSync(new URL(`../../../docs/${name}`, import.meta.url), text);
}
