import { z } from 'zod';
import type { Actor } from '../../eventLog/eventLog.ts';
import { openIfSealed } from '../../vault/openIfSealed.ts';
import type { Vault } from '../../vault/vault.ts';

/** Who caused something, on the wire. */
export const EventActor = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('operator'),
      session_id: z.string().nullable(),
      address: z.string().nullable().describe('null once it was forgotten'),
      user_agent: z.string().nullable(),
      used_totp: z.boolean(),
    }),
    z.object({ kind: z.literal('api_key'), api_key_id: z.string() }),
    z.object({ kind: z.literal('anonymous') }),
    z.object({ kind: z.literal('cli'), command: z.string(), user: z.string().nullable() }),
    z.object({ kind: z.literal('system'), reason: z.string() }),
  ])
  .meta({ id: 'Actor' });

/** @returns the actor with what is sealed of it in plain */
export function eventActor(actor: Actor, vault: Vault): z.infer<typeof EventActor> {
  switch (actor.kind) {
    case 'operator': {
      const { kind, sessionId, usedTotp } = actor;
      const [address, userAgent] = [actor.address, actor.userAgent].map((text) => openIfSealed(text, vault));
      return {
        kind,
        session_id: sessionId,
        address: address ?? null,
        user_agent: userAgent ?? null,
        used_totp: usedTotp,
      };
    }
    case 'apiKey':
      return { kind: 'api_key', api_key_id: actor.keyId };
    default:
      return actor;
  }
}
