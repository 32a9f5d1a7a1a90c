import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import { describeVault } from '../../test/contract/vault.ts';
import { openSqliteVault } from './sqliteVault.ts';

describeVault('SQLite', async () => {
  const folder = await tempFolder();
  return {
    open: async (masterKey) => openSqliteVault({ folder: folder.path, masterKey }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
});

const wrongKey = expect.objectContaining({ code: 'WRONG_ENCRYPTION_KEY' });
const invalidKey = expect.objectContaining({ code: 'INVALID_ENCRYPTION_KEY' });

test('removes the bytes of a destroyed key from the folder', async () => {
  await using folder = await tempFolder();
  const before = openSqliteVault({ folder: folder.path });
  await before.createKey('account-1');
  before.close();
  const path = join(folder.path, 'vault.sqlite');
  const database = new DatabaseSync(path, { readOnly: true });
  const { wrapped } = database.prepare("SELECT wrapped FROM keys WHERE subject = 'account-1'").get() as {
    wrapped: Uint8Array;
  };
  database.close();
  const vault = openSqliteVault({ folder: folder.path });
  for (let other = 0; other < 200; other += 1) await vault.createKey(`other-${other}`);
  expect(await contains(folder.path, wrapped)).toBe(true);
  await vault.destroy('account-1');
  expect(await contains(folder.path, wrapped)).toBe(false);
  expect(await contains(folder.path, Buffer.from('account-1'))).toBe(false);
  vault.close();
});

test.each(['is missing', 'is empty'])('creates no new vault where its %s and sealed values may exist', async (what) => {
  await using folder = await tempFolder();
  const path = join(folder.path, 'vault.sqlite');
  if (what === 'is empty') await writeFile(path, '');
  const opening = () =>
    openSqliteVault({ folder: folder.path, masterKey: randomBytes(32).toString('hex'), mayCreate: false });
  expect(opening).toThrow(expect.objectContaining({ code: 'VAULT_MISSING', message: expect.stringContaining(path) }));
  expect(opening).toThrow('svc accept-loss --vault');
});

test('knows which keys it has', async () => {
  await using folder = await tempFolder();
  const vault = openSqliteVault({ folder: folder.path });
  const keyId = await vault.createKey('account-1');
  expect([vault.hasKey(keyId), vault.hasKey('AAAA')]).toEqual([true, false]);
  vault.close();
  const again = openSqliteVault({ folder: folder.path });
  expect(again.hasKey(keyId)).toBe(true);
  await again.destroy('account-1');
  expect(again.hasKey(keyId)).toBe(false);
  again.close();
});

test('locks the file of the vault as long as the vault is open', async () => {
  await using folder = await tempFolder();
  const vault = openSqliteVault({ folder: folder.path });
  const other = new DatabaseSync(join(folder.path, 'vault.sqlite'), { timeout: 0 });
  expect(() => other.prepare('SELECT 1 FROM keys').get()).toThrow('locked');
  vault.close();
  other.prepare('SELECT 1 FROM keys').get();
  other.close();
});

test('makes digests that differ by purpose, value and installation and survive a restart', async () => {
  await using folder = await tempFolder();
  await using otherFolder = await tempFolder();
  const vault = openSqliteVault({ folder: folder.path });
  const digest = vault.digest('pin', 'a');
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set([digest, vault.digest('pin', 'b'), vault.digest('pi', 'na'), vault.digest('e-mail', 'a')]).size).toBe(
    4,
  );
  vault.close();
  const again = openSqliteVault({ folder: folder.path });
  expect(again.digest('pin', 'a')).toBe(digest);
  again.close();
  const other = openSqliteVault({ folder: otherFolder.path });
  expect(other.digest('pin', 'a')).not.toBe(digest);
  other.close();
});

test('creates a key file for its owner only, whose text is a valid master key', async () => {
  await using folder = await tempFolder();
  const vault = openSqliteVault({ folder: folder.path });
  const sealed = vault.seal(await vault.createKey('account-1'), 'secret');
  vault.close();
  const file = join(folder.path, 'master.key');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const masterKey = await readFile(file, 'utf8');
  await rm(file);
  const again = openSqliteVault({ folder: folder.path, masterKey });
  expect(again.open(sealed)).toBe('secret');
  again.close();
});

test('accepts a master key in base64, base64url or hex', async () => {
  await using folder = await tempFolder();
  const key = randomBytes(32);
  openSqliteVault({ folder: folder.path, masterKey: key.toString('hex') }).close();
  for (const masterKey of [
    key.toString('hex').toUpperCase(),
    key.toString('base64'),
    ` ${key.toString('base64url')}\n`,
  ]) {
    openSqliteVault({ folder: folder.path, masterKey }).close();
  }
  expect(await readdir(folder.path)).not.toContain('master.key');
});

test.each(['short', 'f'.repeat(63), 'A'.repeat(44), `${'A'.repeat(42)}!=`, ''])(
  'refuses the master key "%s" without showing it',
  async (masterKey) => {
    await using folder = await tempFolder();
    const opening = () => openSqliteVault({ folder: folder.path, masterKey });
    expect(opening).toThrow(invalidKey);
    expect(opening).toThrow('SVC_ENCRYPTION_KEY must be 32 random bytes');
    expect(await readdir(folder.path)).toEqual([]);
  },
);

test('refuses to open a vault whose key file is missing, and creates no new key', async () => {
  await using folder = await tempFolder();
  openSqliteVault({ folder: folder.path }).close();
  await rm(join(folder.path, 'master.key'));
  const opening = () => openSqliteVault({ folder: folder.path });
  expect(opening).toThrow(wrongKey);
  expect(opening).toThrow('master.key is missing');
  expect(await readdir(folder.path)).not.toContain('master.key');
});

test('refuses a key file that other users may read, and shows the command that fixes it', async () => {
  await using folder = await tempFolder();
  openSqliteVault({ folder: folder.path }).close();
  const file = join(folder.path, 'master.key');
  await chmod(file, 0o644);
  expect(() => openSqliteVault({ folder: folder.path })).toThrow(`Run: chmod 600 ${file}`);
});

test('refuses a key file that contains no key', async () => {
  await using folder = await tempFolder();
  await writeFile(join(folder.path, 'master.key'), 'hello\n', { mode: 0o600 });
  expect(() => openSqliteVault({ folder: folder.path })).toThrow(invalidKey);
});

async function contains(folder: string, bytes: Uint8Array): Promise<boolean> {
  const files = (await readdir(folder)).filter((name) => name !== 'master.key');
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name))));
  return contents.some((content) => content.includes(Buffer.from(bytes)));
}
