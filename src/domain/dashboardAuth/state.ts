import type { Sealed } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { SettingsEvent } from '../settings/events.ts';
import type { DashboardAuthEvent } from './events.ts';

export interface Password {
  readonly id: string;
  readonly hash: string;
}

export interface Totp {
  readonly id: string;
  readonly secret: Sealed;
  /** The last time step whose code was accepted; codes up to this step are used up. */
  readonly lastStep: number;
}

/** The credentials of the dashboard. Without a password there is no TOTP either. */
export interface DashboardAuth {
  readonly password: Password | null;
  readonly totp: Totp | null;
  /** The setting `totpRequiredOnLogin`, which is in the same stream. */
  readonly isTotpRequired: boolean;
}

export const initialState: DashboardAuth = { password: null, totp: null, isTotpRequired: false };

export function evolve(
  auth: DashboardAuth,
  { type, data }: Recorded<DashboardAuthEvent | SettingsEvent>,
): DashboardAuth {
  switch (type) {
    case 'DashboardPasswordSet':
    case 'DashboardPasswordChanged':
      return { ...auth, password: { id: data.passwordId, hash: data.passwordHash } };
    case 'DashboardPasswordRemoved':
      return { ...auth, password: null };
    case 'TotpConfigured':
      return { ...auth, totp: { id: data.totpId, secret: data.secret, lastStep: data.step } };
    case 'TotpDisabled':
      return { ...auth, totp: null };
    case 'SettingsChanged':
      return { ...auth, isTotpRequired: data.to.totpRequiredOnLogin ?? auth.isTotpRequired };
  }
}

/** The state after a code of this TOTP was used. The event is of another stream, so the TOTP may already be disabled. */
export function withUsedStep(auth: DashboardAuth, { totpId, step }: { totpId: string; step: number }): DashboardAuth {
  if (auth.totp?.id !== totpId || step <= auth.totp.lastStep) return auth;
  return { ...auth, totp: { ...auth.totp, lastStep: step } };
}
