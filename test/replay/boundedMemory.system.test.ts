import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fillDecided } from '../../bench/replay/fillDecided.ts';
import { serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const REQUESTS = 80_000;
/** Of the heap: 40,000 events of some 2 kB are held until the decisions that they record are repeated. All of them would be 160 MB. */
const HEAP_MB = 128;

let folder: { readonly path: string } & AsyncDisposable;
beforeAll(async () => {
  folder = await tempDir('bounded');
  await fillDecided(join(folder.path, 'log.sqlite'), REQUESTS);
});
afterAll(() => folder[Symbol.asyncDispose]());

test.each([
  ['replays a log', []],
  ['plays a log again with another strategy', ['--strategy', 'round_robin']],
])('%s in memory that does not grow with it', async (_, args) => {
  const flags = [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=4'];
  const command = [process.execPath, ...flags, 'src/start.mjs', 'replay', '--json', ...args];
  const { exitCode, stdout, stderr } = await serve({ folder: folder.path, command, timeoutMs: 240_000 }).ended;
  expect([exitCode, stderr.at(-1)]).toEqual([0, expect.stringMatching(/^80000 requests in /)]);
  const { requests, differences } = JSON.parse(stdout.join('\n'));
  expect([requests, differences]).toEqual([REQUESTS, []]);
});
