// Plain JavaScript, as all that is loaded before compiled code is cached.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} checkout @returns the programs of threads, as paths below `src` */
export const threadPrograms = (checkout) => [
  'eventLog/sqlite/writer.ts',
  ...readdirSync(join(checkout, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('Worker.ts'),
  ),
];
