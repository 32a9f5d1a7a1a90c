import type { Decider } from '../decider.ts';
import { refuse } from '../refusal.ts';
import { type Settings, SettingsChanged, type SettingsEvent } from './events.ts';
import { evolve, initialState } from './state.ts';

/** Fields left out keep their current value. */
export type SettingsCommand = {
  type: 'ChangeSettings';
  to: { readonly [Name in keyof Settings]?: Settings[Name] | undefined };
};

/**
 * Nothing changed, no event.
 * @throws Refusal `invalid_totp_config` when TOTP shall be required while none is configured
 */
export function decide({ to }: SettingsCommand, settings: Settings): SettingsEvent[] {
  // TOTP itself arrives with the dashboard's sign-in; until then none can be configured.
  if (to.totpRequiredOnLogin && !settings.totpRequiredOnLogin) refuse('invalid_totp_config');
  const names = (Object.keys(to) as (keyof Settings)[]).filter(
    (name) => to[name] !== undefined && to[name] !== settings[name],
  );
  if (names.length === 0) return [];
  const pick = (source: SettingsCommand['to']) => Object.fromEntries(names.map((name) => [name, source[name]]));
  return [SettingsChanged({ from: pick(settings), to: pick(to) })];
}

export const settings: Decider<Settings, SettingsCommand, SettingsEvent> = { decide, evolve, initialState };
