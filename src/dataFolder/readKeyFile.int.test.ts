import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { checkpointKeyFromFile } from '../integrity/keys/checkpointKey.ts';
import { keyFromFile } from '../vault/masterKey.ts';
import { readKeyFile } from './readKeyFile.ts';

async function pathOf(name: string) {
  const temp = await tempFolder();
  onTestFinished(() => temp[Symbol.asyncDispose]());
  return join(temp.path, name);
}

test('reads a file that only its owner may read, and none where there is none', async () => {
  const path = await pathOf('a.key');
  expect(readKeyFile(path)).toBeUndefined();
  writeFileSync(path, 'text', { mode: 0o600 });
  expect(readKeyFile(path)).toBe('text');
});

const faults: [string, (path: string) => void, string][] = [
  ['is a folder', (path) => mkdirSync(path, { mode: 0o700 }), 'is not a file. Restore it from a backup.'],
  [
    'is a link to nothing',
    (path) => symlinkSync(`${path}.gone`, path),
    'is a link to a file that does not exist. Restore that file.',
  ],
  ['is open to others', (path) => writeFileSync(path, 'a', { mode: 0o644 }), 'can be read by other users. Run: chmod'],
];
test.each(faults)('names a key file that %s, and what to do, and makes no new key', async (_what, damage, message) => {
  const path = await pathOf('a.key');
  damage(path);
  expect(() => keyFromFile(path, { mayCreate: true })).toThrow(`${path} ${message}`);
  expect(() => checkpointKeyFromFile(path, { mayCreate: true })).toThrow(`${path} ${message}`);
});

test.skipIf(process.getuid?.() === 0)('names a key file of another user', async () => {
  const path = await pathOf('a.key');
  writeFileSync(path, 'a');
  chmodSync(path, 0);
  expect(() => keyFromFile(path, { mayCreate: true })).toThrow('cannot be read (EACCES). Give it to the user');
});

test('advises to restore a damaged key file, because a new key would not be the same', async () => {
  const path = await pathOf('a.key');
  writeFileSync(path, 'half of a k', { mode: 0o600 });
  expect(() => keyFromFile(path, { mayCreate: false })).toThrow(
    /is damaged: it must have 32 bytes.*Restore that file .*move the file away and run "svc accept-loss --vault"/,
  );
  expect(() => checkpointKeyFromFile(path, { mayCreate: true })).toThrow(
    /is damaged: it must have a private key of Ed25519.*Restore it .*delete it and run "svc accept-loss --checkpoint-key"/,
  );
});
