import type { Instant, Sealed } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { OperatorPasskeyEvent } from './passkeyEvents.ts';

export interface Passkey {
  readonly id: string;
  readonly name: Sealed;
  readonly credentialDigest: string;
  readonly credentialId: Sealed;
  readonly publicKey: Sealed;
  readonly transports: readonly string[];
  readonly addedAt: Instant;
}

export interface Passkeys {
  readonly byId: ReadonlyMap<string, Passkey>;
  /** Ids that were added of late, also if they were removed again: each registration is accepted once. */
  readonly recent: readonly { readonly id: string; readonly at: Instant }[];
}

export const NO_PASSKEYS: Passkeys = { byId: new Map(), recent: [] };

/** How long a challenge that was used is remembered: twice as long as it is valid, so that clocks of nodes may differ. */
export const USED_CHALLENGE_MS = 10 * 60_000;

/** Those of `entries` that are remembered at `time`. */
export const stillRemembered = <Entry extends { readonly at: Instant }>(
  entries: readonly Entry[],
  time: Instant,
): Entry[] => entries.filter(({ at }) => at > time - USED_CHALLENGE_MS);

export function evolvePasskeys(
  { byId, recent }: Passkeys,
  { type, data, time }: Recorded<OperatorPasskeyEvent>,
): Passkeys {
  const { passkeyId: id } = data;
  const before = byId.get(id);
  const after = new Map(byId);
  switch (type) {
    case 'OperatorPasskeyAdded': {
      const { name, credentialDigest, credentialId, publicKey, transports } = data;
      after.set(id, { id, name, credentialDigest, credentialId, publicKey, transports, addedAt: time });
      return { byId: after, recent: [...stillRemembered(recent, time), { id, at: time }] };
    }
    case 'OperatorPasskeyRenamed':
      if (before) after.set(id, { ...before, name: data.name });
      return { byId: after, recent };
    case 'OperatorPasskeyRemoved':
      after.delete(id);
      return { byId: after, recent };
  }
}
