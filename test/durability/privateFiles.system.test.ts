import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../e2e/support/tempDir.ts';
import { serve } from './support/serve.ts';

vi.setConfig({ testTimeout: 60_000 });

const isOpenToOthers = (path: string) => (statSync(path).mode & 0o077) !== 0;

test('only the owner can read the files of a data folder that other users can list', async () => {
  const folder = await tempDir('private');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  chmodSync(folder.path, 0o755);
  const service = serve({ folder: folder.path });
  onTestFinished(() => service[Symbol.asyncDispose]());
  await service.listening();
  const files = readdirSync(folder.path);
  expect(files).toContain('log.sqlite');
  expect(files.filter((name) => isOpenToOthers(join(folder.path, name)))).toEqual([]);
});
