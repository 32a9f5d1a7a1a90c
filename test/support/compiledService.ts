import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { COMPILED } from './compiled.ts';
import { startFakeEventStore } from './eventstore/fakeEventStore.ts';

const STAMP = join(COMPILED, 'service');

/**
 * Runs once per clone: starts and stops the service over each pair of stores, so that the compile cache has all its modules.
 * Most services of tests are killed, and a killed process writes no cache.
 */
export default async function setup(): Promise<void> {
  if (existsSync(STAMP)) return;
  await using eventStore = await startFakeEventStore();
  await Promise.all([
    startAndStop(),
    startAndStop({
      SVC_EVENTSTORE_URL: eventStore.url,
      SVC_MONGODB_URL: 'mongodb://127.0.0.1:9/svc',
      SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    }),
  ]);
  writeFileSync(STAMP, '');
}

async function startAndStop(env: Readonly<Record<string, string>> = {}): Promise<void> {
  await using folder = await tempDir('compiled');
  await using service = serve({ folder: folder.path, env });
  // The tests report why a service does not start.
  await service.listening().catch(() => undefined);
  service.signal('SIGTERM');
  await service.ended;
}
