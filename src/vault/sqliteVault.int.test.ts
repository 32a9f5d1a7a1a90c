import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/contract/tempFolder.ts';
import type { Sealed } from '../domain/brands.ts';
import { openVault } from './sqliteVault.ts';
import { CannotOpen } from './vault.ts';

const wrongKey = expect.objectContaining({ code: 'WRONG_ENCRYPTION_KEY' });
const invalidKey = expect.objectContaining({ code: 'INVALID_ENCRYPTION_KEY' });

test('what was sealed can be opened, also after a restart, and does not show what it holds', async () => {
  await using folder = await tempFolder();
  const vault = openVault({ folder: folder.path });
  const keyId = await vault.createKey('account-1');
  const sealed = vault.seal(keyId, 'the token of ä');
  expect(sealed).toMatch(/^sealed\.v1\.[\w-]+\.[\w-]+$/);
  expect(Buffer.from(sealed, 'base64url').toString()).not.toContain('token');
  expect(vault.keyIdOf(sealed)).toBe(keyId);
  expect(vault.open(sealed)).toBe('the token of ä');
  expect(vault.open(vault.seal(keyId, ''))).toBe('');
  vault.close();
  const again = openVault({ folder: folder.path });
  expect(again.open(sealed)).toBe('the token of ä');
  again.close();
});

test('the same text is sealed differently each time', async () => {
  await using folder = await tempFolder();
  const vault = openVault({ folder: folder.path });
  const keyId = await vault.createKey('account-1');
  expect(vault.seal(keyId, 'secret')).not.toBe(vault.seal(keyId, 'secret'));
  vault.close();
});

test('a second key of a subject leaves what the first sealed readable', async () => {
  await using folder = await tempFolder();
  const vault = openVault({ folder: folder.path });
  const older = vault.seal(await vault.createKey('account-1'), 'old');
  const newer = vault.seal(await vault.createKey('account-1'), 'new');
  expect([vault.open(older), vault.open(newer)]).toEqual(['old', 'new']);
  vault.close();
});

test('destroying makes everything of a subject unreadable for good, and nothing of others', async () => {
  await using folder = await tempFolder();
  const vault = openVault({ folder: folder.path });
  const keyId = await vault.createKey('account-1');
  const gone = [vault.seal(keyId, 'old'), vault.seal(await vault.createKey('account-1'), 'new')];
  const kept = vault.seal(await vault.createKey('account-2'), 'other');
  await vault.destroy('account-1');
  await vault.destroy('account-1');
  for (const sealed of gone) expect(() => vault.open(sealed)).toThrow(CannotOpen);
  expect(() => vault.seal(keyId, 'again')).toThrow(CannotOpen);
  vault.close();
  const again = openVault({ folder: folder.path });
  for (const sealed of gone) expect(() => again.open(sealed)).toThrow(CannotOpen);
  expect(again.open(kept)).toBe('other');
  again.close();
});

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

test('a sealed text that was changed anywhere cannot be opened', async () => {
  await using folder = await tempFolder();
  const vault = openVault({ folder: folder.path });
  const keyId = await vault.createKey('account-1');
  const sealed = vault.seal(keyId, 'secret');
  for (let at = 0; at < sealed.length; at += 1) {
    const other = sealed[at] === 'A' ? 'B' : 'A';
    const changed = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}` as Sealed;
    expect(() => vault.open(changed)).toThrow(CannotOpen);
  }
  for (const text of [
    '',
    'secret',
    'sealed.v1.',
    `${sealed}=`,
    `${sealed} `,
    sealed.slice(0, 40),
    `sealed.v1.${keyId}.AA`,
  ]) {
    expect(() => vault.open(text as Sealed)).toThrow(CannotOpen);
  }
  vault.close();
});

test('a value cannot be passed off as sealed under another key', async () => {
  await using folder = await tempFolder();
  const vault = openVault({ folder: folder.path });
  const [one, other] = [await vault.createKey('account-1'), await vault.createKey('account-2')];
  const moved = vault.seal(one, 'secret').replace(one, other) as Sealed;
  expect(() => vault.open(moved)).toThrow(CannotOpen);
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

test('another key than the one it was made with is refused and says what to do', async () => {
  await using folder = await tempFolder();
  openVault({ folder: folder.path }).close();
  const opening = () => openVault({ folder: folder.path, masterKey: randomBytes(32).toString('base64') });
  expect(opening).toThrow(wrongKey);
  expect(opening).toThrow('Restore the key it was made with');
  openVault({ folder: folder.path }).close();
});

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
