import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Client } from '../http/context.ts';
import { createClientSealer, type SealClient } from './clientSealer.ts';

/** The id in actors of a client that is not signed in, where one is needed. */
export const UNKNOWN_PERSON = 'unknown';

export interface Who {
  /** `UNKNOWN_PERSON` for a client that is not signed in. */
  readonly operatorId: string;
  readonly sessionId: string | null;
  readonly tokenId?: string | undefined;
  /** How they signed in. */
  readonly method?: string | undefined;
  readonly usedTotp: boolean;
  /** Under whose data key the client is sealed; by default that of `operatorId`. */
  readonly sealedFor?: string;
}

/** Names who causes events, and seals where they are. */
export interface Actors {
  readonly seal: SealClient;
  of(client: Pick<Client, 'address' | 'userAgent'>, who: Who): Promise<Actor>;
  /** For a read, which causes no event and must not need the vault. */
  ofReader(who: Who): Actor;
}

const NOT_RECORDED = { address: null, userAgent: null };

export function createActors(vault: Vault): Actors {
  const seal = createClientSealer(vault);
  const named = ({ operatorId, sessionId, tokenId, method }: Who) => ({
    kind: 'operator' as const,
    sessionId,
    ...(operatorId !== BUILT_IN_ADMINISTRATOR && { operatorId }),
    ...(tokenId !== undefined && { tokenId }),
    ...(method !== undefined && method !== 'password' && { method }),
  });
  return {
    seal,
    async of({ address, userAgent }, who) {
      const { operatorId, usedTotp, sealedFor = operatorId } = who;
      const subject = sealedFor === UNKNOWN_PERSON ? BUILT_IN_ADMINISTRATOR : sealedFor;
      return { ...named(who), ...(await seal(subject, address, userAgent)), usedTotp };
    },
    ofReader: (who) => ({ ...named(who), ...NOT_RECORDED, usedTotp: who.usedTotp }),
  };
}
