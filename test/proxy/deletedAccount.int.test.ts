import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gateways } from '../support/gateways.ts';

const start = gateways();

test('the id at the provider is in no file of the data folder, before and after the account is deleted', async () => {
  const gateway = await start({ accounts: 1 });
  const [account] = gateway.pool;
  if (!account) throw new Error('no account');
  await (await gateway.ask()).text();
  expect(gateway.asked()[0]?.headers['chatgpt-account-id']).toBe(account.at.id);
  expect(filesWith(gateway.folder, account.at.id)).toEqual([]);
  await gateway.api('DELETE', `/api/accounts/${account.id}`);
  await gateway.stopService();
  expect(filesWith(gateway.folder, account.at.id)).toEqual([]);
  expect(filesWith(gateway.folder, account.id)).toContain('log.sqlite');
});

/** The names of the files that contain a text. */
const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name);
