import type { AccountId, ApiKeyId, TeamId } from '../../domain/core/brands.ts';
import { type Json, redact, toJson } from '../../domain/core/redact.ts';
import { ownerOfStream, streamIdOf } from '../../domain/owner/ownerName.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { Vault } from '../../vault/vault.ts';
import { toSnakeCase } from '../http/toSnakeCase.ts';
import type { View } from '../http/views.ts';
import { createDirectory } from '../people/directory.ts';
import { accountEntry } from '../resources/accounts.ts';
import { apiKeyEntry } from '../resources/apiKeys.ts';
import { clock } from '../resources/clock.ts';
import { allowlist } from '../resources/firewall.ts';
import { subjectState } from '../resources/history/subjectState.ts';
import { holdEntry } from '../resources/holds.ts';
import { openByHolder } from '../resources/limits/limitEntries.ts';
import { operatorEntry } from '../resources/operators.ts';
import { keysOfOwners, namedOwner, ownerEntry } from '../resources/owners.ts';
import { settings } from '../resources/settings.ts';
import { keysInTeams, teamEntry } from '../resources/teams.ts';
import { tokenEntry } from '../resources/tokens.ts';

/** Another text by which a resource is found, beside its id. */
export interface SubjectLabel {
  readonly id: string;
  readonly label: string;
}

/** A kind of resource whose state can be shown. */
export interface SubjectKind {
  /** What its name begins with in History: `<kind>-<id>`. */
  readonly kind: string;
  /** Other names of the kind, for commands. */
  readonly aliases: readonly string[];
  /** Its only id, where there is one resource of the kind. */
  readonly onlyId?: 'main';
  /** Ids of those that exist. */
  readonly ids: (state: HotState) => Iterable<string>;
  readonly labels?: (state: HotState) => Iterable<SubjectLabel>;
  /** The resource as its GET shows it; null when it does not exist. */
  readonly show: (id: string, view: View, vault: Vault) => Json;
}

const single = (
  kind: string,
  aliases: readonly string[],
  show: (view: View, vault: Vault) => unknown,
): SubjectKind => ({
  kind,
  aliases,
  onlyId: 'main',
  ids: () => ['main'],
  show: (_id, view, vault) => toJson(show(view, vault)),
});

/** What no GET shows: the folded state, as in History, spelled as the API does. */
const folded = (subject: string, { state }: View): Json => inSnakeCase(redact(subjectState(subject, state)));

function inSnakeCase(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inSnakeCase);
  // Ids of maps, such as model names and UUIDs, have no capital letters that follow a small one without a separator.
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      /^[a-z]+([A-Z][a-z]*)+$/.test(name) ? toSnakeCase(name) : name,
      inSnakeCase(item),
    ]),
  );
}

const ofAccount = (kind: string, aliases: readonly string[], ids: SubjectKind['ids']): SubjectKind => ({
  kind,
  aliases,
  ids,
  show: (id, view) => folded(`${kind}-${id}`, view),
});

/** Owners that have limits, and those that API keys name. */
const ownersIn = ({ owners, apiKeys }: HotState): ReadonlySet<string> =>
  new Set([...owners.keys(), ...apiKeys.values().flatMap(({ owner }) => (owner === undefined ? [] : [owner]))]);

const directoryOf = (state: HotState, vault: Vault) => createDirectory({ vault, state: () => state });

/** Every kind whose state is shown, by the names that History has for them. Requests are read from the log itself. */
export const subjectKinds: readonly SubjectKind[] = [
  {
    kind: 'account',
    aliases: [],
    ids: ({ accounts }) => accounts.keys(),
    show: (id, view, vault) => {
      const account = view.state.accounts.get(id as AccountId);
      return account ? toJson(accountEntry(account, view, vault)) : null;
    },
  },
  {
    kind: 'apiKey',
    aliases: ['api-key', 'key'],
    ids: ({ apiKeys }) => apiKeys.keys(),
    labels: ({ apiKeys }) =>
      [...apiKeys.values()].flatMap(({ id, name, prefix }) => [
        { id, label: name },
        { id, label: prefix },
      ]),
    show: (id, view) => {
      const key = view.state.apiKeys.get(id as ApiKeyId);
      return key ? toJson(apiKeyEntry(key, view, openByHolder(view.state))) : null;
    },
  },
  {
    kind: 'team',
    aliases: [],
    ids: ({ teams }) => teams.keys(),
    labels: ({ teams }) => [...teams.values()].map(({ id, name }) => ({ id, label: name })),
    show: (id, view) => {
      const team = view.state.teams.get(id as TeamId);
      return team ? toJson(teamEntry(team, view, keysInTeams(view), openByHolder(view.state))) : null;
    },
  },
  {
    // History names its stream, in which the owner is percent-encoded.
    kind: 'owner',
    aliases: [],
    ids: (state) => ownersIn(state).keys().map(streamIdOf),
    labels: (state) => [...ownersIn(state)].map((owner) => ({ id: streamIdOf(owner), label: owner })),
    show: (id, view, vault) => {
      const owner = ownerOfStream(id);
      if (!ownersIn(view.state).has(owner)) return null;
      const entry = ownerEntry(owner, view, keysOfOwners(view), openByHolder(view.state));
      return toJson(namedOwner(entry, view, directoryOf(view.state, vault)));
    },
  },
  {
    kind: 'operator',
    aliases: [],
    ids: ({ operators }) => operators.byId.keys(),
    show: (id, { state }, vault) => {
      const operator = state.operators.byId.get(id);
      return operator ? toJson(operatorEntry(operator, state, directoryOf(state, vault))) : null;
    },
  },
  {
    kind: 'managementToken',
    aliases: ['management-token', 'token'],
    ids: ({ managementTokens }) => managementTokens.keys(),
    labels: ({ managementTokens }) => [...managementTokens.values()].map(({ id, name }) => ({ id, label: name })),
    show: (id, view, vault) => {
      const token = view.state.managementTokens.get(id);
      return token ? toJson(tokenEntry(token, view, directoryOf(view.state, vault))) : null;
    },
  },
  single('settings', [], ({ state }) => settings(state.settings)),
  single('firewall', [], ({ state }) => allowlist(state.firewall)),
  single('clock', [], clock),
  {
    kind: 'hold',
    aliases: [],
    ids: ({ holds }) => holds.active.keys(),
    show: (id, { state }) => {
      const hold = state.holds.active.get(id);
      return hold ? toJson(holdEntry(hold)) : null;
    },
  },
  single('holds', [], ({ state: { holds } }) => ({
    holds: [...holds.active.values()].map(holdEntry),
    retained_accounts: [...holds.retained.keys()],
  })),
  single('modelCatalogue', ['model-catalogue', 'models'], (view) => folded('modelCatalogue-main', view)),
  single('pricing', ['prices'], (view) => folded('pricing-main', view)),
  ofAccount('accountUsage', ['account-usage'], ({ usage }) => usage.keys()),
  ofAccount('accountTokens', ['account-tokens'], ({ tokens }) => tokens.keys()),
  ofAccount('accountCoolDown', ['account-cool-down'], ({ coolDowns }) => coolDowns.keys()),
  {
    kind: 'node',
    aliases: [],
    ids: ({ audit }) => audit.nodes.keys(),
    show: (id, view) => folded(`node-${id}`, view),
  },
];
