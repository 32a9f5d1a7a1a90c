import type { Instant } from '../core/brands.ts';
import type { EventOf, Recorded } from '../core/event.ts';
import type { OperatorPasskeyAdded, OperatorPasskeyRemoved } from '../operator/passkeyEvents.ts';
import { stillRemembered } from '../operator/passkeys.ts';
import type { PasskeyUseEvent } from './events.ts';

/** How one passkey was used. */
export interface PasskeyUse {
  /** Of the last signature. Stays 0 where the authenticator does not count. */
  readonly counter: number;
  readonly lastUsedAt: Instant | null;
  /** When a signature was last refused because its counter went back. */
  readonly regressedAt: Instant | null;
}

/** The uses of the passkeys of one operator. They have a stream of their own: sign-ins do not conflict with changes of operators. */
export interface PasskeyUses {
  readonly byId: ReadonlyMap<string, PasskeyUse>;
  /** Challenges that were used of late. */
  readonly challenges: readonly { readonly hash: string; readonly at: Instant }[];
}

export const initialState: PasskeyUses = { byId: new Map(), challenges: [] };

type Folded = PasskeyUseEvent | EventOf<typeof OperatorPasskeyAdded | typeof OperatorPasskeyRemoved>;

export function evolve(uses: PasskeyUses, { type, data, time }: Recorded<Folded>): PasskeyUses {
  const { passkeyId } = data;
  const before = uses.byId.get(passkeyId);
  const byId = new Map(uses.byId);
  switch (type) {
    case 'OperatorPasskeyAdded':
      byId.set(passkeyId, { counter: data.counter, lastUsedAt: null, regressedAt: null });
      return { ...uses, byId };
    case 'OperatorPasskeyRemoved':
      byId.delete(passkeyId);
      return { ...uses, byId };
    case 'PasskeyUsed': {
      // Removed in the meantime: the challenge is used up nevertheless.
      if (before) byId.set(passkeyId, { ...before, counter: data.counter, lastUsedAt: time });
      const challenges = [...stillRemembered(uses.challenges, time), { hash: data.challengeHash, at: time }];
      return { byId, challenges };
    }
    case 'PasskeyCounterRegressed':
      if (before) byId.set(passkeyId, { ...before, regressedAt: time });
      return { ...uses, byId };
  }
}
