import { api, type Schemas, unwrap } from './client.ts';

/** What the service shows for an account whose e-mail address it does not know, as in an evidence bundle. */
const UNKNOWN_EMAIL = 'unknown@example.com';

/** All accounts, each under a name that tells it from the others, also where its e-mail address is not known, or was forgotten. */
export async function readAccounts(): Promise<{ accounts: Schemas['Account'][] }> {
  const { accounts } = await unwrap(api.GET('/api/accounts'));
  return { accounts: accounts.map(named) };
}

function named(account: Schemas['Account']): Schemas['Account'] {
  const { account_id, display_name, forgotten } = account;
  const isForgotten = forgotten?.includes('email');
  if (account.email !== UNKNOWN_EMAIL && !isForgotten) return account;
  const email = `${isForgotten ? 'forgotten' : 'unnamed'} account ${account_id.slice(-8)}`;
  const hasName = display_name !== UNKNOWN_EMAIL && !forgotten?.includes('display_name');
  return { ...account, email, display_name: hasName ? display_name : email };
}
