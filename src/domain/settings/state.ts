import type { DomainEvent, Recorded } from '../core/event.ts';
import type { Settings, SettingsEvent } from './events.ts';

/** The settings, and what they depend on in the stream `settings-main`, which they share with `dashboardAuth`. */
export type SettingsState = Settings & { readonly isTotpConfigured: boolean };

/** Events of `dashboardAuth` that change what settings are allowed; that folder imports this one. */
type TotpChange = DomainEvent<'TotpConfigured' | 'TotpDisabled'>;

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

export function evolve(settings: SettingsState, event: Recorded<SettingsEvent | TotpChange>): SettingsState {
  switch (event.type) {
    case 'SettingsChanged':
      return { ...settings, ...(event.data.to as Partial<Settings>) };
    case 'TotpConfigured':
      return { ...settings, isTotpConfigured: true };
    case 'TotpDisabled':
      return { ...settings, isTotpConfigured: false };
  }
}
