import { api, unwrap } from './api/client.ts';
import { resource } from './live/resource.svelte.ts';

/** Names of accounts, keys and teams by ID. Call it while a component initialises. */
export function createNameLookup() {
  const lists = {
    accounts: resource('accounts', () => unwrap(api.GET('/api/accounts')), { on: ['account'] }),
    keys: resource('api-keys', () => unwrap(api.GET('/api/api-keys')), { on: ['apiKey'] }),
    teams: resource('teams', () => unwrap(api.GET('/api/teams')), { on: ['team'] }),
  };
  const accounts = $derived(
    lists.accounts.data?.accounts.map(({ account_id, email }) => ({ id: account_id, name: email })) ?? [],
  );
  const keys = $derived(lists.keys.data?.map(({ id, name }) => ({ id, name })) ?? []);
  const emails = $derived(new Map(accounts.map(({ id, name }) => [id, name])));
  const keyNames = $derived(new Map(keys.map(({ id, name }) => [id, name])));
  const teamNames = $derived(new Map(lists.teams.data?.map(({ id, name }) => [id, name]) ?? []));
  return {
    get accounts() {
      return accounts;
    },
    get keys() {
      return keys;
    },
    /** E-mail addresses by account ID. */
    get emails(): ReadonlyMap<string, string> {
      return emails;
    },
    /** The e-mail address; the ID of a deleted account. */
    account: (id: string): string => emails.get(id) ?? id,
    /** The name; the start of the ID of a deleted key. */
    key: (id: string): string => keyNames.get(id) ?? id.slice(0, 8),
    /** The name; the start of the ID of a deleted team. */
    team: (id: string): string => teamNames.get(id) ?? id.slice(0, 8),
  };
}

export type NameLookup = ReturnType<typeof createNameLookup>;
