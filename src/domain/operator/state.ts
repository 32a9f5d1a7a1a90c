import type { Instant, Sealed } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { Password, Totp } from '../dashboardAuth/state.ts';
import type { OperatorEvent } from './events.ts';
import { evolvePasskeys, NO_PASSKEYS, type Passkeys } from './passkeys.ts';
import type { Role } from './role.ts';

export interface Operator {
  readonly id: string;
  /** Null once the person was forgotten. */
  readonly name: Sealed | null;
  readonly email: Sealed | null;
  readonly role: Role;
  readonly invitedAt: Instant;
  readonly acceptedAt: Instant | null;
  readonly isDisabled: boolean;
  readonly removedAt: Instant | null;
  /** The link that is valid now. Never shown. */
  readonly invitation: { readonly hash: string; readonly expiresAt: Instant } | null;
  readonly password: Password | null;
  /** Issuer and subject at the OpenID provider as a JSON array. A removed operator keeps it, so that no rule adds them again. */
  readonly identity: Sealed | null;
  /** Added by a rule for a claim, and not invited since: without a rule they do not get in. */
  readonly isByRule: boolean;
  readonly totp: Totp | null;
  /** Keyed digests of the recovery codes that were not used. */
  readonly recoveryCodes: { readonly unused: number; readonly secret: readonly string[] };
  readonly passkeys: Passkeys;
}

/** The built-in administrator (`BUILT_IN_ADMINISTRATOR`) is not among them. */
export interface Operators {
  readonly byId: ReadonlyMap<string, Operator>;
  /**
   * The dashboard password was removed while there were operators: management stays closed, also to clients on this machine,
   * until it is set again.
   */
  readonly isBuiltInClosed: boolean;
}

export const initialState: Operators = { byId: new Map(), isBuiltInClosed: false };

export type OperatorStatus = 'invited' | 'active' | 'disabled' | 'removed';

export function statusOf({ removedAt, isDisabled, acceptedAt }: Operator): OperatorStatus {
  if (removedAt !== null) return 'removed';
  if (isDisabled) return 'disabled';
  return acceptedAt === null ? 'invited' : 'active';
}

/** Operators that were not removed, whatever their status. */
export const presentOperators = ({ byId }: Operators): Operator[] =>
  [...byId.values()].filter(({ removedAt }) => removedAt === null);

/** Names of removed operators are kept for the history; those removed first are dropped. */
const MAX_REMOVED = 1_000;
const NO_CODES: Operator['recoveryCodes'] = { unused: 0, secret: [] };
const NO_CREDENTIALS = { password: null, totp: null, recoveryCodes: NO_CODES, passkeys: NO_PASSKEYS };
const codesOf = (secret: readonly string[]): Operator['recoveryCodes'] => ({ unused: secret.length, secret });

export function evolve(operators: Operators, event: Recorded<OperatorEvent>): Operators {
  const { type, data, time } = event;
  if (type === 'OperatorInvited') {
    const { operatorId: id, name, email, role, invitationHash: hash, expiresAt } = data;
    const invited: Operator = {
      ...{ id, name, email, role, invitedAt: time, acceptedAt: null, isDisabled: false, removedAt: null },
      ...{ invitation: { hash, expiresAt }, ...NO_CREDENTIALS, identity: null, isByRule: false },
    };
    return { ...operators, byId: new Map(operators.byId).set(id, invited) };
  }
  if (type === 'OperatorRegistered') {
    const { operatorId: id, name, email, role } = data;
    const registered: Operator = {
      ...{ id, name, email, role, invitedAt: time, acceptedAt: time, isDisabled: false, removedAt: null },
      ...{ invitation: null, ...NO_CREDENTIALS, identity: null, isByRule: true },
    };
    return { ...operators, byId: new Map(operators.byId).set(id, registered) };
  }
  const before = operators.byId.get(data.operatorId);
  if (!before) return operators;
  const byId = new Map(operators.byId).set(before.id, changed(before, event));
  if (type === 'OperatorRemoved') dropOldest(byId);
  return { ...operators, byId };
}

type ChangeEvent = Exclude<OperatorEvent, { type: 'OperatorInvited' | 'OperatorRegistered' }>;

function changed(before: Operator, event: Recorded<ChangeEvent>): Operator {
  const { type, data, time } = event;
  switch (type) {
    case 'OperatorInvitationRenewed':
      return {
        ...before,
        isByRule: false,
        invitation: { hash: data.invitationHash, expiresAt: data.expiresAt },
      };
    case 'OperatorInvitationAccepted':
      return { ...before, acceptedAt: before.acceptedAt ?? time, invitation: null };
    case 'OperatorPasswordSet':
      return { ...before, password: { id: data.passwordId, hash: data.passwordHash } };
    case 'OperatorIdentityLinked':
      return { ...before, identity: data.identity };
    case 'OperatorProfileChanged':
      return { ...before, name: data.name, email: data.email };
    case 'OperatorRoleChanged':
      return { ...before, role: data.to };
    case 'OperatorDisabled':
      return { ...before, isDisabled: true };
    case 'OperatorEnabled':
      return { ...before, isDisabled: false };
    case 'OperatorRemoved':
      return { ...before, removedAt: time, invitation: null, ...NO_CREDENTIALS };
    case 'OperatorForgotten':
      return { ...before, name: null, email: null, identity: null };
    case 'OperatorTotpConfigured':
      return { ...before, totp: { id: data.totpId, secret: data.secret, lastStep: data.step } };
    case 'OperatorTotpDisabled':
      return { ...before, totp: null, recoveryCodes: NO_CODES };
    case 'OperatorRecoveryCodesMade':
      return { ...before, recoveryCodes: codesOf(data.codes) };
    case 'OperatorRecoveryCodeUsed':
      return { ...before, recoveryCodes: codesOf(before.recoveryCodes.secret.filter((code) => code !== data.code)) };
    case 'OperatorPasskeyAdded':
    case 'OperatorPasskeyRenamed':
    case 'OperatorPasskeyRemoved':
      return { ...before, passkeys: evolvePasskeys(before.passkeys, event) };
  }
}

function dropOldest(byId: Map<string, Operator>): void {
  const removed = [...byId.values()].filter(({ removedAt }) => removedAt !== null);
  if (removed.length <= MAX_REMOVED) return;
  const oldest = removed.reduce((first, each) => (Number(each.removedAt) < Number(first.removedAt) ? each : first));
  byId.delete(oldest.id);
}

/** The state after a code of this TOTP was used: codes up to its step are used up. */
export function withUsedStep(operators: Operators, { totpId, step }: { totpId: string; step: number }): Operators {
  for (const operator of operators.byId.values()) {
    const { totp } = operator;
    if (totp?.id !== totpId || step <= totp.lastStep) continue;
    return {
      ...operators,
      byId: new Map(operators.byId).set(operator.id, { ...operator, totp: { ...totp, lastStep: step } }),
    };
  }
  return operators;
}

/** The state after the dashboard password was set (`true`) or removed. */
export const withBuiltInPassword = (operators: Operators, isSet: boolean): Operators => {
  const isBuiltInClosed = !isSet && (operators.isBuiltInClosed || presentOperators(operators).length > 0);
  return isBuiltInClosed === operators.isBuiltInClosed ? operators : { ...operators, isBuiltInClosed };
};
