import { api, type Schemas, unwrap } from './client.ts';

/** All accounts. One whose e-mail address was forgotten is named as such: at earlier moments there are accounts that were deleted since. */
export async function readAccounts(): Promise<{ accounts: Schemas['Account'][] }> {
  const { accounts } = await unwrap(api.GET('/api/accounts'));
  return { accounts: accounts.map(named) };
}

function named(account: Schemas['Account']): Schemas['Account'] {
  if (!account.forgotten?.includes('email')) return account;
  const email = `forgotten account ${account.account_id.slice(-8)}`;
  const isNameForgotten = account.forgotten.includes('display_name');
  return { ...account, email, display_name: isNameForgotten ? email : account.display_name };
}
