import type { Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { type Settings, SettingsChanged, type SettingsEvent } from './events.ts';
import { evolve, initialState, type SettingsState } from './state.ts';

/** Omitted fields keep their current value. */
export type SettingsCommand = {
  type: 'ChangeSettings';
  to: { readonly [Name in keyof Settings]?: Settings[Name] | undefined };
};

/**
 * Produces no event if nothing changes.
 * @throws Refusal `invalid_totp_config` when the change requires TOTP and none is configured
 */
export function decide({ to }: SettingsCommand, settings: SettingsState): SettingsEvent[] {
  const requiresTotp = to.totpRequiredOnLogin && !settings.totpRequiredOnLogin;
  if (requiresTotp && !settings.isTotpConfigured) refuse('invalid_totp_config');
  const names = (Object.keys(to) as (keyof Settings)[]).filter(
    (name) => to[name] !== undefined && to[name] !== settings[name],
  );
  if (names.length === 0) return [];
  const pick = (source: SettingsCommand['to']) => Object.fromEntries(names.map((name) => [name, source[name]]));
  return [SettingsChanged({ from: pick(settings), to: pick(to) })];
}

export const settings = { decide, evolve, initialState } satisfies Decider<
  SettingsState,
  SettingsCommand,
  SettingsEvent
>;
