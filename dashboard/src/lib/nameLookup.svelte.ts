import { ambiguousEmails } from './accounts/accountStatus.ts';
import { api, unwrap } from './api/client.ts';
import { readAccounts } from './api/readAccounts.ts';
import { resource } from './live/resource.svelte.ts';
import { may } from './session/may.ts';

/** Names of accounts, keys, teams, people and management tokens by ID. Call it while a component initialises. */
export function createNameLookup() {
  const lists = {
    // Members have no accounts.
    accounts: resource('accounts', async () => (may('GET /api/accounts') ? readAccounts() : undefined), {
      on: ['account'],
    }),
    keys: resource('api-keys', () => unwrap(api.GET('/api/api-keys')), { on: ['apiKey'] }),
    teams: resource('teams', () => unwrap(api.GET('/api/teams')), { on: ['team'] }),
    // Operators may not list people: they get the names of owners, and those that events have.
    people: resource(
      'people',
      async () => (may('GET /api/operators') ? unwrap(api.GET('/api/operators')) : undefined),
      {
        on: ['operator'],
      },
    ),
    owners: resource('owners', () => unwrap(api.GET('/api/owners')), { on: ['owner', 'operator'] }),
    tokens: resource('all-tokens-by-id', () => unwrap(api.GET('/api/tokens')), { on: ['managementToken'] }),
  };
  const ambiguous = $derived(ambiguousEmails(lists.accounts.data?.accounts ?? []));
  const accounts = $derived(
    lists.accounts.data?.accounts.map(({ account_id: id, email }) => ({
      id,
      name: ambiguous.has(email) ? `${email}, ${id.slice(-8)}` : email,
    })) ?? [],
  );
  const keys = $derived(lists.keys.data?.map(({ id, name }) => ({ id, name })) ?? []);
  const emails = $derived(new Map(accounts.map(({ id, name }) => [id, name])));
  const keyNames = $derived(new Map(keys.map(({ id, name }) => [id, name])));
  const teamNames = $derived(new Map(lists.teams.data?.map(({ id, name }) => [id, name]) ?? []));
  const people = $derived(lists.people.data?.operators.map(({ id, name }) => ({ id, name })) ?? []);
  const personNames = $derived(
    new Map<string, string>([
      ['administrator', 'Built-in administrator'],
      ...(lists.owners.data ?? []).flatMap(({ owner, name }) => (name === null ? [] : [[owner, name] as const])),
      ...people.map(({ id, name }) => [id, name ?? `forgotten person ${id.slice(0, 8)}`] as const),
    ]),
  );
  const tokenNames = $derived(new Map(lists.tokens.data?.tokens.map(({ id, name }) => [id, name]) ?? []));
  return {
    /** People who were invited, also those removed. */
    get people() {
      return people.map(({ id }) => ({ id, name: personNames.get(id) ?? id }));
    },
    get accounts() {
      return accounts;
    },
    get keys() {
      return keys;
    },
    /** E-mail addresses by account ID; of accounts that share one with the end of the ID. */
    get emails(): ReadonlyMap<string, string> {
      return emails;
    },
    /** The e-mail address; the ID of a deleted account. */
    account: (id: string): string => emails.get(id) ?? id,
    /** The name; the start of the ID of a deleted key. */
    key: (id: string): string => keyNames.get(id) ?? id.slice(0, 8),
    /** The name; the start of the ID of a deleted team. */
    team: (id: string): string => teamNames.get(id) ?? id.slice(0, 8),
    /** The name of an operator; undefined for an id that is unknown here, or is no id. */
    person: (id: string): string | undefined => personNames.get(id),
    /** The name; the start of the ID of one that is unknown here. */
    token: (id: string): string => tokenNames.get(id) ?? id.slice(0, 8),
  };
}

export type NameLookup = ReturnType<typeof createNameLookup>;
