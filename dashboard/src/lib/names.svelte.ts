import { answerOf, api } from './api/client.ts';
import { resource } from './live/resource.svelte.ts';

/** What accounts and keys are called, for pages that know their ids. Ask for it while a component is made. */
export function names() {
  const found = {
    accounts: resource('accounts', () => answerOf(api.GET('/api/accounts')), { on: ['account'] }),
    keys: resource('api-keys', () => answerOf(api.GET('/api/api-keys')), { on: ['apiKey'] }),
  };
  const accounts = $derived(
    found.accounts.data?.accounts.map(({ account_id, email }) => ({ id: account_id, name: email })) ?? [],
  );
  const keys = $derived(found.keys.data?.map(({ id, name }) => ({ id, name })) ?? []);
  const emails = $derived(new Map(accounts.map(({ id, name }) => [id, name])));
  const keyNames = $derived(new Map(keys.map(({ id, name }) => [id, name])));
  return {
    get accounts() {
      return accounts;
    },
    get keys() {
      return keys;
    },
    /** E-mail addresses by account id. */
    get emails(): ReadonlyMap<string, string> {
      return emails;
    },
    /** The e-mail; the id of one that is gone. */
    account: (id: string): string => emails.get(id) ?? id,
    /** The name; the beginning of the id of one that is gone. */
    key: (id: string): string => keyNames.get(id) ?? id.slice(0, 8),
  };
}

export type Names = ReturnType<typeof names>;
