import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { typesOf } from '../../../dashboard/scripts/apiTypes.ts';
import { readConfig } from '../../../src/app/config/config.ts';
import { startService } from '../../../src/app/main.ts';

/** TypeScript types of the API, for the dashboard: a field that the service does not send does not compile there. */
export const apiTypes = async (document?: unknown): Promise<string> => typesOf(document ?? (await liveDocument()));

/** The OpenAPI document that a running service responds. */
export async function liveDocument(): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-api-types-'));
  const ignore = () => {};
  const service = await startService(
    readConfig({ SVC_PORT: '0', SVC_DATA_DIR: folder, SVC_DRAIN_SECONDS: '1', SVC_SETUP_TOKEN: 'used by no client' }),
    { print: ignore, onFatal: ignore },
  );
  try {
    return await (await fetch(`${service.url}/api/openapi.json`)).json();
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
