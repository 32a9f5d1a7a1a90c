import type { Instant, Sealed } from '../core/brands.ts';
import type { Context, Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { losesLastAdministrator } from './access.ts';
import { addedPasskey, decidePasskey, type NewPasskey, type PasskeyCommand } from './decidePasskey.ts';
import {
  OperatorDisabled,
  OperatorEnabled,
  type OperatorEvent,
  OperatorForgotten,
  OperatorIdentityLinked,
  OperatorInvitationAccepted,
  OperatorInvitationRenewed,
  OperatorInvited,
  OperatorPasswordSet,
  OperatorProfileChanged,
  OperatorRecoveryCodesMade,
  OperatorRecoveryCodeUsed,
  OperatorRegistered,
  OperatorRemoved,
  OperatorRoleChanged,
  OperatorTotpConfigured,
  OperatorTotpDisabled,
} from './events.ts';
import { mayGrant } from './grants.ts';
import type { Role } from './role.ts';
import { evolve, initialState, type Operator, type Operators, presentOperators } from './state.ts';

interface Profile {
  readonly name: Sealed;
  readonly email: Sealed;
  /** Ids of the operators whose name and address were compared with these. Another one may have come in the meantime. */
  readonly compared: readonly string[];
}
interface Link {
  readonly invitationHash: string;
  readonly expiresAt: Instant;
}
interface NewPassword {
  readonly passwordId: string;
  readonly passwordHash: string;
}

/** `by`: the roles of who gives the command. `isBuiltInAvailable`: whether the built-in administrator can manage as well. */
export type OperatorCommand = { readonly operatorId: string } & (
  | ({ type: 'Invite'; role: Role; by: readonly Role[] } & Profile & Link)
  | ({ type: 'RenewInvitation'; by: readonly Role[] } & Link)
  | ({ type: 'AcceptInvitation'; invitationHash: string } & (NewPassword | { passkey: NewPasskey }))
  /** The OpenID provider has confirmed that the invited address is theirs. */
  | { type: 'AcceptByIdentity'; identity: Sealed; compared: readonly string[] }
  /** A person whom the OpenID provider has confirmed, and to whom a rule gives a role. */
  | ({ type: 'Register'; role: Role; identity: Sealed } & Profile)
  /** A rule gives the role for what the OpenID provider claims. */
  | { type: 'TakeRole'; role: Role; isBuiltInAvailable: boolean }
  | {
      type: 'Change';
      role?: Role | undefined;
      isActive?: boolean | undefined;
      profile?: Profile | undefined;
      by: readonly Role[];
      isBuiltInAvailable: boolean;
    }
  | { type: 'Remove'; by: readonly Role[]; isBuiltInAvailable: boolean }
  | { type: 'Forget'; by: readonly Role[]; isBuiltInAvailable: boolean }
  | ({ type: 'ChangePassword'; verifiedPasswordId: string } & NewPassword)
  | { type: 'ConfigureTotp'; totpId: string; secret: Sealed; step: number; recoveryCodes: readonly string[] }
  | { type: 'DisableTotp' }
  | { type: 'MakeRecoveryCodes'; recoveryCodes: readonly string[] }
  | { type: 'UseRecoveryCode'; code: string }
  | PasskeyCommand
);

/** Every sign-in compares the name with all of them. */
export const MAX_OPERATORS = 1_000;

/**
 * All operators are one subject, so that two changes on two nodes cannot both remove the last but one administrator.
 * @throws Refusal `operator_not_found` | `insufficient_permissions` | `last_administrator` | `invalid_operator` | `conflict` |
 *   `invalid_invitation` | `invalid_credentials` | `totp_already_configured` | `totp_not_configured` | `totp_invalid_code`, and those
 *   of `decidePasskey`
 */
export function decide(command: OperatorCommand, operators: Operators, { now }: Context): OperatorEvent[] {
  const { operatorId } = command;
  if (command.type === 'Invite') {
    const { name, email, role, invitationHash, expiresAt } = command;
    requireGrant(command.by, role);
    requireRoom(operators);
    requireCompared(operators, command);
    return [OperatorInvited({ operatorId, name, email, role, invitationHash, expiresAt })];
  }
  if (command.type === 'Register') {
    const { name, email, role, identity } = command;
    requireRoom(operators);
    requireCompared(operators, command);
    return [OperatorRegistered({ operatorId, name, email, role }), OperatorIdentityLinked({ operatorId, identity })];
  }
  if (command.type === 'AcceptInvitation') return accept(command, operators, now);
  const operator = operators.byId.get(operatorId);
  if (command.type === 'Forget' && operator?.removedAt != null) {
    return operator.name === null ? [] : [OperatorForgotten({ operatorId })];
  }
  if (!operator || operator.removedAt !== null) return refuse('operator_not_found', { operatorId });
  switch (command.type) {
    case 'RenewInvitation': {
      requireGrant(command.by, operator.role);
      const { invitationHash, expiresAt } = command;
      return [OperatorInvitationRenewed({ operatorId, invitationHash, expiresAt })];
    }
    case 'AcceptByIdentity': {
      if (!hasOpenInvitation(operator, now)) refuse('invalid_invitation');
      requireCompared(operators, command);
      const { identity } = command;
      return [
        OperatorInvitationAccepted({ operatorId, method: 'oidc' }),
        OperatorIdentityLinked({ operatorId, identity }),
      ];
    }
    case 'TakeRole': {
      const { role } = command;
      if (role === operator.role) return [];
      requireAdministratorLeft(command, operators, { ...operator, role });
      return [OperatorRoleChanged({ operatorId, from: operator.role, to: role, by: 'claim' })];
    }
    case 'Change':
      return change(command, operator, operators);
    case 'Remove':
    case 'Forget':
      requireGrant(command.by, operator.role);
      requireAdministratorLeft(command, operators, undefined);
      return [
        ...(operator.totp ? [OperatorTotpDisabled({ operatorId, totpId: operator.totp.id })] : []),
        OperatorRemoved({ operatorId }),
        ...(command.type === 'Forget' ? [OperatorForgotten({ operatorId })] : []),
      ];
    case 'ChangePassword': {
      if (operator.password?.id !== command.verifiedPasswordId) refuse('invalid_credentials');
      const { passwordId, passwordHash } = command;
      return [OperatorPasswordSet({ operatorId, passwordId, passwordHash })];
    }
    case 'ConfigureTotp': {
      if (operator.totp) refuse('totp_already_configured');
      const { totpId, secret, step, recoveryCodes } = command;
      return [
        OperatorTotpConfigured({ operatorId, totpId, secret, step }),
        OperatorRecoveryCodesMade({ operatorId, codes: [...recoveryCodes] }),
      ];
    }
    case 'DisableTotp':
      if (!operator.totp) refuse('totp_not_configured');
      return [OperatorTotpDisabled({ operatorId, totpId: operator.totp.id })];
    case 'MakeRecoveryCodes':
      if (!operator.totp) refuse('totp_not_configured');
      return [OperatorRecoveryCodesMade({ operatorId, codes: [...command.recoveryCodes] })];
    case 'UseRecoveryCode':
      if (!operator.recoveryCodes.secret.includes(command.code)) refuse('totp_invalid_code');
      return [OperatorRecoveryCodeUsed({ operatorId, code: command.code })];
    case 'AddPasskey':
    case 'RenamePasskey':
    case 'RemovePasskey':
      return decidePasskey(command, operator, operators);
  }
}

function change(
  command: Extract<OperatorCommand, { type: 'Change' }>,
  operator: Operator,
  operators: Operators,
): OperatorEvent[] {
  const { id: operatorId } = operator;
  const role = command.role ?? operator.role;
  const isDisabled = command.isActive === undefined ? operator.isDisabled : !command.isActive;
  requireGrant(command.by, operator.role);
  requireGrant(command.by, role);
  requireAdministratorLeft(command, operators, { ...operator, role, isDisabled });
  const { profile } = command;
  if (profile) requireCompared(operators, profile);
  return [
    ...(profile ? [OperatorProfileChanged({ operatorId, name: profile.name, email: profile.email })] : []),
    ...(role === operator.role ? [] : [OperatorRoleChanged({ operatorId, from: operator.role, to: role })]),
    ...(isDisabled === operator.isDisabled ? [] : [(isDisabled ? OperatorDisabled : OperatorEnabled)({ operatorId })]),
  ];
}

/** An unknown, a used and an expired link are refused alike: the response does not tell which ones existed. */
function accept(
  command: Extract<OperatorCommand, { type: 'AcceptInvitation' }>,
  operators: Operators,
  now: Instant,
): OperatorEvent[] {
  const { operatorId, invitationHash } = command;
  const operator = operators.byId.get(operatorId);
  if (!operator || !isInvitationValid(operator, invitationHash, now)) return refuse('invalid_invitation');
  const accepted = (method: string) => OperatorInvitationAccepted({ operatorId, method });
  if ('passkey' in command) return [accepted('passkey'), addedPasskey(command.passkey, operator, operators)];
  const { passwordId, passwordHash } = command;
  return [accepted('password'), OperatorPasswordSet({ operatorId, passwordId, passwordHash })];
}

/** Whether the operator was invited, or invited again, and can accept now. */
export const hasOpenInvitation = ({ invitation, isDisabled, removedAt }: Operator, now: Instant): boolean =>
  invitation !== null && now < invitation.expiresAt && !isDisabled && removedAt === null;

/** Whether a link with this hash can be used by the operator now. */
export const isInvitationValid = (operator: Operator, hash: string, now: Instant): boolean =>
  operator.invitation?.hash === hash && hasOpenInvitation(operator, now);

function requireRoom(operators: Operators): void {
  if (presentOperators(operators).length < MAX_OPERATORS) return;
  refuse('invalid_operator', {
    problem: `there are ${MAX_OPERATORS} operators, which is the maximum: remove one first`,
  });
}

const requireGrant = (by: readonly Role[], role: Role): void => {
  if (!mayGrant(by, role)) refuse('insufficient_permissions', { problem: `your role is below ${role}` });
};

function requireAdministratorLeft(
  { operatorId, isBuiltInAvailable }: { operatorId: string; isBuiltInAvailable: boolean },
  operators: Operators,
  after: Operator | undefined,
): void {
  if (!isBuiltInAvailable && losesLastAdministrator(operators, operatorId, after)) refuse('last_administrator');
}

function requireCompared(operators: Operators, { compared }: Pick<Profile, 'compared'>): void {
  const known = new Set(compared);
  if (presentOperators(operators).some(({ id }) => !known.has(id))) refuse('conflict', { stream: 'operators-main' });
}

/** The people that manage the service, besides the built-in administrator. */
export const operator: Decider<Operators, OperatorCommand, OperatorEvent> = { decide, evolve, initialState };
