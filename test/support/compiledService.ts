import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { COMPILED } from './compiled.ts';
import { startFakeEventStore } from './eventstore/fakeEventStore.ts';

const DONE = join(COMPILED, 'service');

/**
 * Once before the first tests of a clone: the service starts and ends in order over either pair of stores, so that
 * `COMPILED` has what it loads. Most services of tests are killed, and what is killed writes nothing there.
 */
export default async function setup(): Promise<void> {
  if (existsSync(DONE)) return;
  await using eventStore = await startFakeEventStore();
  await Promise.all([
    startAndStop(),
    startAndStop({
      SVC_EVENTSTORE_URL: eventStore.url,
      SVC_MONGODB_URL: 'mongodb://127.0.0.1:9/svc',
      SVC_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    }),
  ]);
  writeFileSync(DONE, '');
}

async function startAndStop(env: Readonly<Record<string, string>> = {}): Promise<void> {
  await using folder = await tempDir('compiled');
  await using service = serve({ folder: folder.path, env });
  // Why a service does not start is for the tests to say.
  await service.listening().catch(() => undefined);
  service.signal('SIGTERM');
  await service.ended;
}
