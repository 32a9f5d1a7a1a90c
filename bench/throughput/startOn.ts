import { join } from 'node:path';
import { type Child, start } from './child.ts';

const NOBODY = 'http://127.0.0.1:9/backend-api';

/**
 * Starts the service, or a program that works like it, on a data folder that holds what is measured; there is no provider to
 * ask. What it says goes to `<name>.txt` in the folder.
 */
export const startOn = (folder: string, name: string, args: readonly string[]): Child =>
  start(
    process.execPath,
    args,
    {
      SVC_DATA_DIR: folder,
      SVC_PORT: '0',
      SVC_OAUTH_CALLBACK_PORT: '0',
      SVC_UPSTREAM_BASE_URL: NOBODY,
      // As `npm start` has it; the first start fills it.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      PATH: process.env.PATH ?? '',
    },
    join(folder, `${name}.txt`),
  );
