import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { Faults } from '../../lib/faults.ts';
import { keyFromFile } from '../../vault/masterKey.ts';
import { watchMasterKey } from './watchMasterKey.ts';

const KEY = `${'ab'.repeat(32)}\n`;

const harms: Readonly<Record<string, (path: string) => void>> = {
  'was deleted': (path) => renameSync(path, `${path}.away`),
  'was cut': (path) => writeFileSync(path, KEY.slice(0, 10)),
  'has another key': (path) => writeFileSync(path, 'cd'.repeat(32)),
  'can be read by others': (path) => chmodSync(path, 0o644),
};

test.each(Object.entries(harms))('names a master key that %s while svc runs, until it is back', async (_what, harm) => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'master.key');
  keyFromFile(path, { mayCreate: true });
  writeFileSync(path, KEY);
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => lines.push(line), now: () => 0 });
  const watch = watchMasterKey({ path, faults, intervalMs: 5 });
  onTestFinished(() => watch.stop());
  harm(path);
  await vi.waitUntil(() => faults.current.length > 0, waitOptions);
  expect(faults.current).toEqual([
    expect.objectContaining({
      code: 'master_key_not_kept',
      cause: expect.stringContaining(`${path} was deleted, changed or made unreadable while svc runs.`),
      remedy: expect.stringContaining('before svc stops'),
    }),
  ]);
  writeFileSync(path, KEY, { mode: 0o600 });
  chmodSync(path, 0o600);
  await vi.waitUntil(() => faults.current.length === 0, waitOptions);
  expect(lines).toHaveLength(2);
  expect(lines.join()).not.toContain(KEY.trim());
});
