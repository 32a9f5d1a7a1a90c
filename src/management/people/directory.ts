import type { Sealed } from '../../domain/core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import type { ManagementTokens } from '../../domain/managementToken/state.ts';
import { type Operator, type Operators, presentOperators, statusOf } from '../../domain/operator/state.ts';
import { openIfSealed } from '../../vault/openIfSealed.ts';
import { SealedFields } from '../../vault/sealedFields.ts';
import type { Vault } from '../../vault/vault.ts';
import { createLoginIndex } from './loginIndex.ts';
import { normalizeLogin } from './normalizeLogin.ts';

/** The name under which the history shows the built-in administrator. */
export const BUILT_IN_NAME = 'Built-in administrator';

/** The subject of the data key that seals what is known of a person. */
export const dataKeyOf = (operatorId: string): string => `operator-${operatorId}`;

/** The part of the state that has people and their tokens. */
export interface PeopleState {
  readonly operators: Operators;
  readonly managementTokens: ManagementTokens;
}

/** Names of people by their ids. */
export interface Directory {
  /** The names of an earlier state, without those that were forgotten since. */
  asOf(state: PeopleState): Directory;
  /**
   * @param fields opens the name as `name`, and so keeps that it was forgotten
   * @returns null for one who is unknown or was forgotten
   */
  nameOf(operatorId: string, fields?: SealedFields): string | null;
  emailOf(operatorId: string): string | null;
  /** A text that is sealed under the data key of a person; null once they were forgotten. */
  open(sealed: Sealed | null): string | null;
  /** For the fields of one object that are sealed under the data key of a person. */
  sealedFields(): SealedFields;
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
  readonly state: () => PeopleState;
}

/** @returns a directory that keeps nothing in plain: a person may be forgotten at any time */
export function createDirectory({ vault, state }: DirectoryOptions): Directory {
  const open = (sealed: Sealed | null | undefined): string | null => openIfSealed(sealed ?? null, vault);
  const logins = createLoginIndex(open);
  const operatorOf = (id: string) => state().operators.byId.get(id);

  return {
    asOf: (earlier) => createDirectory({ vault, state: () => earlier }),
    nameOf: (id, fields = new SealedFields(vault)) =>
      id === BUILT_IN_ADMINISTRATOR ? BUILT_IN_NAME : fields.open('name', operatorOf(id)?.name),
    emailOf: (id) => open(operatorOf(id)?.email),
    open,
    sealedFields: () => new SealedFields(vault),
    tokenNameOf: (id) => state().managementTokens.get(id)?.name ?? null,
    find(login) {
      const { operators } = state();
      const found = logins.idsOf(login, operators).map((id) => operators.byId.get(id));
      return found.find((operator) => operator && statusOf(operator) === 'active');
    },
    compare({ name, email }, exceptId) {
      const { operators } = state();
      const isTaken = (text: string) =>
        normalizeLogin(text) === normalizeLogin(BUILT_IN_NAME) ||
        logins.idsOf(text, operators).some((id) => id !== exceptId);
      const taken = isTaken(name) ? 'name' : isTaken(email) ? 'email' : undefined;
      const present = presentOperators(operators).map(({ id }) => id);
      return { taken, compared: exceptId === undefined ? present : [...new Set([...present, exceptId])] };
    },
  };
}
