import type { Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import {
  SessionReauthenticated,
  type SessionReauthenticatedEvent,
  SessionTotpVerified,
  type SessionTotpVerifiedEvent,
} from './events.ts';

/** Prefix of the streams of used codes, one for each TOTP. */
export const TOTP_USES_PREFIX = 'totpUses-';

/** What a TOTP code was accepted for. */
export type TotpUseCommand = { readonly totpId: string; readonly step: number; readonly sessionId: string } & (
  | { readonly type: 'VerifySession'; readonly replaces: string }
  | { readonly type: 'Reauthenticate' }
);

type TotpUseEvent = SessionTotpVerifiedEvent | SessionReauthenticatedEvent;

/** A TOTP that is set up; undefined once it was disabled. */
export type UsedTotp = { readonly lastStep: number } | undefined;

/** The event of a code that was used. */
export function totpUsed(command: TotpUseCommand): TotpUseEvent {
  const { totpId, step, sessionId } = command;
  return command.type === 'VerifySession'
    ? SessionTotpVerified({ sessionId, replaces: command.replaces, totpId, step })
    : SessionReauthenticated({ sessionId, totp: { id: totpId, step } });
}

/**
 * The uses of one TOTP are one stream, so that of two requests with the same code, on whatever nodes, one is accepted.
 * @throws Refusal `totp_not_configured` | `totp_invalid_code` for a code that was used, or that is older than a used one
 */
function decide(command: TotpUseCommand, totp: UsedTotp): TotpUseEvent[] {
  if (!totp) return refuse('totp_not_configured');
  if (command.step <= totp.lastStep) refuse('totp_invalid_code');
  return [totpUsed(command)];
}

function evolve(totp: UsedTotp, { data }: { readonly data: TotpUseEvent['data'] }): UsedTotp {
  const step = 'step' in data ? data.step : (data.totp?.step ?? 0);
  return totp && { lastStep: Math.max(totp.lastStep, step) };
}

export const totpUse: Decider<UsedTotp, TotpUseCommand, TotpUseEvent> = { decide, evolve, initialState: undefined };
