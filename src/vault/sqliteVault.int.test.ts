import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { describeVault } from '../../test/contract/vault.ts';
import { openVault } from './sqliteVault.ts';

describeVault('SQLite', async () => {
  const folder = await tempFolder();
  return {
    open: async (masterKey) => openVault({ folder: folder.path, masterKey }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});

const wrongKey = expect.objectContaining({ code: 'WRONG_ENCRYPTION_KEY' });
const invalidKey = expect.objectContaining({ code: 'INVALID_ENCRYPTION_KEY' });

test('the bytes of a destroyed key are gone from the folder', async () => {
  await using folder = await tempFolder();
  const vault = openVault({ folder: folder.path });
  await vault.createKey('account-1');
  for (let other = 0; other < 200; other += 1) await vault.createKey(`other-${other}`);
  const path = join(folder.path, 'vault.sqlite');
  const database = new DatabaseSync(path, { readOnly: true });
  const { wrapped } = database.prepare("SELECT wrapped FROM keys WHERE subject = 'account-1'").get() as {
    wrapped: Uint8Array;
  };
  database.close();
  expect(await holds(folder.path, wrapped)).toBe(true);
  await vault.destroy('account-1');
  expect(await holds(folder.path, wrapped)).toBe(false);
  expect(await holds(folder.path, Buffer.from('account-1'))).toBe(false);
  vault.close();
});

test('a digest is the same at every start, and differs by purpose, value and installation', async () => {
  await using folder = await tempFolder();
  await using elsewhere = await tempFolder();
  const vault = openVault({ folder: folder.path });
  const digest = vault.digest('pin', 'a');
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set([digest, vault.digest('pin', 'b'), vault.digest('pi', 'na'), vault.digest('e-mail', 'a')]).size).toBe(
    4,
  );
  vault.close();
  const again = openVault({ folder: folder.path });
  expect(again.digest('pin', 'a')).toBe(digest);
  again.close();
  const other = openVault({ folder: elsewhere.path });
  expect(other.digest('pin', 'a')).not.toBe(digest);
  other.close();
});

test('the key file is made once, for its owner only, and its text is a key like any other', async () => {
  await using folder = await tempFolder();
  const vault = openVault({ folder: folder.path });
  const sealed = vault.seal(await vault.createKey('account-1'), 'secret');
  vault.close();
  const file = join(folder.path, 'master.key');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const masterKey = await readFile(file, 'utf8');
  await rm(file);
  const again = openVault({ folder: folder.path, masterKey });
  expect(again.open(sealed)).toBe('secret');
  again.close();
});

test('one key may be written in base64, base64url or hex', async () => {
  await using folder = await tempFolder();
  const key = randomBytes(32);
  openVault({ folder: folder.path, masterKey: key.toString('hex') }).close();
  for (const masterKey of [
    key.toString('hex').toUpperCase(),
    key.toString('base64'),
    ` ${key.toString('base64url')}\n`,
  ]) {
    openVault({ folder: folder.path, masterKey }).close();
  }
  expect(await readdir(folder.path)).not.toContain('master.key');
});

test.each(['short', 'f'.repeat(63), 'A'.repeat(44), `${'A'.repeat(42)}!=`, ''])(
  'the text "%s" is no key and is refused without being shown',
  async (masterKey) => {
    await using folder = await tempFolder();
    const opening = () => openVault({ folder: folder.path, masterKey });
    expect(opening).toThrow(invalidKey);
    expect(opening).toThrow('SVC_ENCRYPTION_KEY must be 32 random bytes');
    expect(await readdir(folder.path)).toEqual([]);
  },
);

test('a missing key file beside a vault is refused and never replaced by a new key', async () => {
  await using folder = await tempFolder();
  openVault({ folder: folder.path }).close();
  await rm(join(folder.path, 'master.key'));
  const opening = () => openVault({ folder: folder.path });
  expect(opening).toThrow(wrongKey);
  expect(opening).toThrow('master.key is missing');
  expect(await readdir(folder.path)).not.toContain('master.key');
});

test('a key file that others may read is refused with the command that mends it', async () => {
  await using folder = await tempFolder();
  openVault({ folder: folder.path }).close();
  const file = join(folder.path, 'master.key');
  await chmod(file, 0o644);
  expect(() => openVault({ folder: folder.path })).toThrow(`Run: chmod 600 ${file}`);
});

test('a key file that holds no key is refused', async () => {
  await using folder = await tempFolder();
  await writeFile(join(folder.path, 'master.key'), 'hello\n', { mode: 0o600 });
  expect(() => openVault({ folder: folder.path })).toThrow(invalidKey);
});

async function holds(folder: string, bytes: Uint8Array): Promise<boolean> {
  const files = (await readdir(folder)).filter((name) => name !== 'master.key');
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name))));
  return contents.some((content) => content.includes(Buffer.from(bytes)));
}
