import type { Sealed } from '../core/brands.ts';
import type { Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { SettingsChanged, type SettingsEvent } from '../settings/events.ts';
import {
  type DashboardAuthEvent,
  DashboardPasswordChanged,
  DashboardPasswordRemoved,
  DashboardPasswordSet,
  TotpConfigured,
  TotpDisabled,
} from './events.ts';
import { type DashboardAuth, evolve, initialState, type Password, type Totp } from './state.ts';

/** `verifiedPasswordId`: the password that the client has just entered correctly. */
export type DashboardAuthCommand =
  | { type: 'SetPassword'; passwordId: string; passwordHash: string }
  | { type: 'ChangePassword'; verifiedPasswordId: string; passwordId: string; passwordHash: string }
  | { type: 'RemovePassword'; verifiedPasswordId: string }
  /** From the command line: access to the data folder is proof enough. */
  | { type: 'ResetPassword'; passwordId: string; passwordHash: string; keepsTotp: boolean }
  | { type: 'ConfigureTotp'; totpId: string; secret: Sealed; step: number }
  | { type: 'DisableTotp' };

/**
 * Disabling TOTP also turns off the setting that requires it, because otherwise sign-in would be impossible.
 * @throws Refusal `password_already_configured` | `password_not_configured` | `invalid_credentials` |
 *   `totp_already_configured` | `totp_not_configured`
 */
export function decide(command: DashboardAuthCommand, auth: DashboardAuth): (DashboardAuthEvent | SettingsEvent)[] {
  switch (command.type) {
    case 'SetPassword': {
      if (auth.password) refuse('password_already_configured');
      const { passwordId, passwordHash } = command;
      return [DashboardPasswordSet({ passwordId, passwordHash })];
    }
    case 'ChangePassword': {
      verifiedPassword(auth, command);
      const { passwordId, passwordHash } = command;
      return [DashboardPasswordChanged({ passwordId, passwordHash })];
    }
    case 'RemovePassword': {
      const { id: passwordId } = verifiedPassword(auth, command);
      return [...(auth.totp ? withoutTotp(auth, auth.totp) : []), DashboardPasswordRemoved({ passwordId })];
    }
    case 'ResetPassword': {
      if (!auth.password) refuse('password_not_configured');
      const { passwordId, passwordHash, keepsTotp } = command;
      const changed = DashboardPasswordChanged({ passwordId, passwordHash });
      return auth.totp && !keepsTotp ? [...withoutTotp(auth, auth.totp), changed] : [changed];
    }
    case 'ConfigureTotp': {
      if (!auth.password) refuse('password_not_configured');
      if (auth.totp) refuse('totp_already_configured');
      const { totpId, secret, step } = command;
      return [TotpConfigured({ totpId, secret, step })];
    }
    case 'DisableTotp':
      return withoutTotp(auth, auth.totp ?? refuse('totp_not_configured'));
  }
}

function verifiedPassword({ password }: DashboardAuth, command: { verifiedPasswordId: string }): Password {
  if (!password) return refuse('password_not_configured');
  // It may have been changed since the client's password was verified.
  return password.id === command.verifiedPasswordId ? password : refuse('invalid_credentials');
}

function withoutTotp({ isTotpRequired }: DashboardAuth, { id: totpId }: Totp): (DashboardAuthEvent | SettingsEvent)[] {
  const disabled = TotpDisabled({ totpId });
  if (!isTotpRequired) return [disabled];
  return [SettingsChanged({ from: { totpRequiredOnLogin: true }, to: { totpRequiredOnLogin: false } }), disabled];
}

export const dashboardAuth = { decide, evolve, initialState } satisfies Decider<
  DashboardAuth,
  DashboardAuthCommand,
  DashboardAuthEvent | SettingsEvent
>;
