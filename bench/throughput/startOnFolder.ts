import { join } from 'node:path';
import { type Child, start } from './child.ts';

const UNREACHABLE_PROVIDER = 'http://127.0.0.1:9/backend-api';

/**
 * Starts svc, or another program with its environment, on an existing data folder, without a provider unless `env` names one. Writes
 * its output to `<name>.txt` in the folder.
 */
export const startOnFolder = (
  folder: string,
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Child =>
  start(
    process.execPath,
    args,
    {
      SVC_DATA_DIR: folder,
      SVC_PORT: '0',
      SVC_OAUTH_CALLBACK_PORT: '0',
      SVC_UPSTREAM_BASE_URL: UNREACHABLE_PROVIDER,
      // As with `npm start`. The first start fills the cache.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      PATH: process.env.PATH ?? '',
      ...env,
    },
    join(folder, `${name}.txt`),
  );
