import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { serve } from './support/serve.ts';

vi.setConfig({ testTimeout: 60_000 });

const isForOthers = (path: string) => (statSync(path).mode & 0o077) !== 0;

test('in a folder that others may look into, like that of a container, no file is for them', async () => {
  const folder = await tempDir('private');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  chmodSync(folder.path, 0o755);
  const service = serve({ folder: folder.path });
  onTestFinished(() => service[Symbol.asyncDispose]());
  await service.listening();
  const files = readdirSync(folder.path);
  expect(files).toContain('log.sqlite');
  expect(files.filter((name) => isForOthers(join(folder.path, name)))).toEqual([]);
});
