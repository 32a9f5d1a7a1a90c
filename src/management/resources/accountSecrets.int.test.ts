import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test, vi } from 'vitest';
import { authFile, upload } from '../../../test/support/authFiles.ts';
import { startManagement } from '../../../test/support/management.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import { CannotUnseal } from '../../vault/vault.ts';
import { destroyKeysOfDeletedAccounts } from '../accounts/destroyKeysOfDeletedAccounts.ts';
import { importAccount, listAccounts } from './accountCalls.support.ts';

/** Temporary files, by the names that the form parser gives them. */
const uploadedFiles = () => readdirSync(tmpdir()).filter((name) => /^[a-z0-9]{25}$/.test(name));

test('stores no token, e-mail address or name in plain text', async () => {
  const stage = await startManagement();
  const before = uploadedFiles();
  await importAccount(stage, authFile({ claims: { name: 'Ada Lovelace' } }));
  expect((await listAccounts(stage))[0].display_name).toBe('Ada Lovelace');
  const log = JSON.stringify(await Array.fromAsync(stage.log.readAll(0 as never)));
  // "Ada " and not "Ada": sealed values are random base64, which contains three given letters now and then.
  for (const secret of ['ada@example.com', 'Ada ', 'Lovelace', 'rt_secret', 'c2ln']) {
    expect(log).not.toContain(secret);
  }
  expect(uploadedFiles()).toEqual(before);
});

test('makes data of a deleted account unreadable, even after a new import', async () => {
  const stage = await startManagement();
  const { account_id } = await importAccount(stage);
  const email = stage.hot.state.accounts.get(account_id)?.email;
  if (!email) throw new Error('no sealed e-mail');
  expect(stage.vault.open(email)).toBe('ada@example.com');
  await stage.call('DELETE', `/api/accounts/${account_id}`);
  expect(() => stage.vault.open(email)).toThrow(CannotUnseal);
  expect((await importAccount(stage)).account_id).toBe(account_id);
  expect(() => stage.vault.open(email)).toThrow(CannotUnseal);
  expect((await listAccounts(stage))[0].email).toBe('ada@example.com');
});

test('never leaves an account with destroyed keys when deleted and imported at once', async () => {
  const stage = await startManagement();
  const { account_id } = await importAccount(stage);
  const path = `/api/accounts/${account_id}`;
  await Promise.all([stage.call('DELETE', path), stage.call('POST', '/api/accounts/import', upload(authFile()))]);
  for (const { email } of await listAccounts(stage)) expect(email).toBe('ada@example.com');
});

test('looks once at the start for keys that were left behind, however many accounts there are', async () => {
  const stage = await startManagement();
  for (let account = 0; account < 4; account += 1)
    await importAccount(stage, authFile({ email: `person${account}@example.com` }));
  const keysOf = vi.spyOn(stage.vault, 'keysOf');
  await destroyKeysOfDeletedAccounts(stage);
  expect(keysOf).toHaveBeenCalledTimes(1);
});

test('destroys at start the keys of deleted accounts only', async () => {
  const stage = await startManagement();
  const deletedId = (await importAccount(stage)).account_id as AccountId;
  await importAccount(stage, authFile({ email: 'grace@example.com' }));
  await stage.call('DELETE', `/api/accounts/${deletedId}`);
  // As after a crash between the event and the destruction of the key.
  const leftBehind = stage.vault.seal(await stage.vault.createKey(deletedId), 'left behind');
  await destroyKeysOfDeletedAccounts(stage);
  expect(() => stage.vault.open(leftBehind)).toThrow(CannotUnseal);
  expect((await listAccounts(stage))[0].email).toBe('grace@example.com');
});
