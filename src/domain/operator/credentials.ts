import { BUILT_IN_ADMINISTRATOR } from '../core/builtInAdministrator.ts';
import type { Credentials } from '../dashboardAuth/sessionChecks.ts';
import type { DashboardAuth, Totp } from '../dashboardAuth/state.ts';
import { type Operators, statusOf } from './state.ts';

interface CredentialState {
  readonly dashboardAuth: DashboardAuth;
  readonly operators: Operators;
}

/** The TOTP with an id; undefined once it was disabled. */
export function totpWith(totpId: string, { dashboardAuth, operators }: CredentialState): Totp | undefined {
  if (dashboardAuth.totp?.id === totpId) return dashboardAuth.totp;
  for (const { totp } of operators.byId.values()) if (totp?.id === totpId) return totp;
  return undefined;
}

/**
 * What the sessions of an operator are checked against. A second factor that an operator has set up is required, and the setting
 * requires it of everyone.
 * @returns undefined for an operator who can no longer sign in
 */
export function credentialsOf(
  operatorId: string,
  { dashboardAuth, operators }: CredentialState,
): Credentials | undefined {
  if (operatorId === BUILT_IN_ADMINISTRATOR) return dashboardAuth;
  const operator = operators.byId.get(operatorId);
  if (!operator || statusOf(operator) !== 'active') return undefined;
  const { password, totp, passkeys } = operator;
  const isTotpRequired = totp !== null || dashboardAuth.isTotpRequired;
  return { password, totp, isTotpRequired, passkeys: passkeys.byId };
}
