import type { Recorded } from '../core/event.ts';
import type { DashboardAuthEvent } from '../dashboardAuth/events.ts';
import type { Settings, SettingsEvent } from './events.ts';

/** The settings, and what of its neighbour in the stream `settings-main` they depend on. */
export type SettingsState = Settings & { readonly isTotpConfigured: boolean };

/** Sticky threads on, earlier reset off, keys not required (docs/decisions/0044-defaults-of-settings.md). */
export const initialState: SettingsState = {
  stickyThreadsEnabled: true,
  preferEarlierResetAccounts: false,
  routingStrategy: 'usage_weighted',
  importWithoutOverwrite: false,
  totpRequiredOnLogin: false,
  apiKeyAuthEnabled: false,
  isTotpConfigured: false,
};

export function evolve(
  settings: SettingsState,
  { type, data }: Recorded<SettingsEvent | DashboardAuthEvent>,
): SettingsState {
  switch (type) {
    case 'SettingsChanged':
      return { ...settings, ...(data.to as Partial<Settings>) };
    case 'TotpConfigured':
      return { ...settings, isTotpConfigured: true };
    case 'TotpDisabled':
      return { ...settings, isTotpConfigured: false };
    case 'DashboardPasswordSet':
    case 'DashboardPasswordChanged':
    case 'DashboardPasswordRemoved':
      return settings;
  }
}
