import type { Recorded } from '../event.ts';
import type { Settings, SettingsEvent } from './events.ts';

/** Defaults of design.md section 5: sticky on, earlier reset off, keys not required. */
export const initialState: Settings = {
  stickyThreadsEnabled: true,
  preferEarlierResetAccounts: false,
  routingStrategy: 'usage_weighted',
  importWithoutOverwrite: false,
  totpRequiredOnLogin: false,
  apiKeyAuthEnabled: false,
};

export function evolve(settings: Settings, { data }: Recorded<SettingsEvent>): Settings {
  return { ...settings, ...(data.to as Partial<Settings>) };
}
