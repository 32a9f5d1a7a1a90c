import { expect, test } from 'vitest';
import type { Vault } from '../../vault/vault.ts';
import { reportVaultFailures } from './reportVaultFailures.ts';

const ioError = () => Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 | (4 << 8) });

function aVault(change: () => Promise<string>) {
  const reported: string[] = [];
  const vault = reportVaultFailures({ createKey: change, destroy: change as unknown } as unknown as Vault, {
    path: '/data/vault.sqlite',
    report: (error) => reported.push(error.message),
  });
  return { vault, reported };
}

test('refuses a change that the disk does not take, and names the file and the remedy', async () => {
  const { vault, reported } = aVault(() => Promise.reject(ioError()));
  const refused = expect.objectContaining({ code: 'log_unavailable' });
  await expect(vault.createKey('account-1')).rejects.toEqual(refused);
  await expect(vault.destroy('account-1')).rejects.toEqual(refused);
  expect(reported).toEqual(
    Array(2).fill(
      '/data/vault.sqlite cannot be written: disk I/O error. Check the disk and its file system, then repeat the change.',
    ),
  );
});

test('passes results and other errors on', async () => {
  expect(await aVault(() => Promise.resolve('key-1')).vault.createKey('account-1')).toBe('key-1');
  const { vault, reported } = aVault(() => Promise.reject(new TypeError('bug')));
  await expect(vault.createKey('account-1')).rejects.toThrow(TypeError);
  expect(reported).toEqual([]);
});
