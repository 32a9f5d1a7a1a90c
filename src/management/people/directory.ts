import type { Sealed } from '../../domain/core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import type { ManagementTokens } from '../../domain/managementToken/state.ts';
import { type Operator, type Operators, presentOperators, statusOf } from '../../domain/operator/state.ts';
import { openIfSealed } from '../../vault/openIfSealed.ts';
import type { Vault } from '../../vault/vault.ts';

/** The name under which the history shows the built-in administrator. */
export const BUILT_IN_NAME = 'Built-in administrator';

/** The subject of the data key that seals what is known of a person. */
export const dataKeyOf = (operatorId: string): string => `operator-${operatorId}`;

/** Names of people by their ids. */
export interface Directory {
  /** @returns null for one who is unknown or was forgotten */
  nameOf(operatorId: string): string | null;
  emailOf(operatorId: string): string | null;
  /** A text that is sealed under the data key of a person; null once they were forgotten. */
  open(sealed: Sealed | null): string | null;
  tokenNameOf(tokenId: string): string | null;
  /** The active operator with this name or e-mail address. */
  find(login: string): Operator | undefined;
  /** Which of the two another operator has, and the ids that were compared, for the command. */
  compare(profile: Profile, exceptId?: string): { taken: keyof Profile | undefined; compared: string[] };
}

export interface Profile {
  readonly name: string;
  readonly email: string;
}

export interface DirectoryOptions {
  readonly vault: Pick<Vault, 'open'>;
  /** The current state. */
  readonly state: () => { readonly operators: Operators; readonly managementTokens: ManagementTokens };
}

/** Texts that differ in case, in width or in how letters are composed are the same login. */
export const normalizeLogin = (text: string): string => text.trim().normalize('NFKC').toLowerCase();

/** @returns a directory that keeps nothing in plain: to open a text takes microseconds, and a person may be forgotten at any time */
export function createDirectory({ vault, state }: DirectoryOptions): Directory {
  const open = (sealed: Sealed | null | undefined): string | null => openIfSealed(sealed ?? null, vault);
  const matches = (sealed: Sealed | null, login: string) => normalizeLogin(open(sealed) ?? '') === login;
  const operatorOf = (id: string) => state().operators.byId.get(id);

  return {
    nameOf: (id) => (id === BUILT_IN_ADMINISTRATOR ? BUILT_IN_NAME : open(operatorOf(id)?.name)),
    emailOf: (id) => open(operatorOf(id)?.email),
    open,
    tokenNameOf: (id) => state().managementTokens.get(id)?.name ?? null,
    find(text) {
      const login = normalizeLogin(text);
      if (login === '') return undefined;
      const active = presentOperators(state().operators).filter((operator) => statusOf(operator) === 'active');
      return active.find(({ name, email }) => matches(email, login) || matches(name, login));
    },
    compare({ name, email }, exceptId) {
      const others = presentOperators(state().operators).filter(({ id }) => id !== exceptId);
      const isTaken = (text: string) => {
        const login = normalizeLogin(text);
        return (
          login === normalizeLogin(BUILT_IN_NAME) ||
          others.some((other) => matches(other.name, login) || matches(other.email, login))
        );
      };
      const taken = isTaken(name) ? 'name' : isTaken(email) ? 'email' : undefined;
      return { taken, compared: [...others.map(({ id }) => id), ...(exceptId === undefined ? [] : [exceptId])] };
    },
  };
}
