import { z } from 'zod';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import { SealedFields } from '../../vault/sealedFields.ts';
import type { Capabilities } from './capabilities.ts';
import { forgotten } from './forgotten.ts';

/** Who caused something, on the wire. */
export const EventActor = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('operator'),
      operator_id: z
        .string()
        .describe('`administrator`: the built-in administrator; `unknown`: a client that was not signed in'),
      name: z.string().nullable().describe('null for a person who is unknown or was forgotten'),
      token_id: z.string().nullable().describe('The management token that was used; operator_id is its owner'),
      token_name: z.string().nullable(),
      method: z.string().nullable().describe('How they signed in, e.g. password, token or oidc'),
      session_id: z.string().nullable(),
      address: z.string().nullable().describe('null once it was forgotten'),
      user_agent: z.string().nullable(),
      used_totp: z.boolean(),
      forgotten,
    }),
    z.object({ kind: z.literal('api_key'), api_key_id: z.string() }),
    z.object({ kind: z.literal('anonymous') }),
    z.object({ kind: z.literal('cli'), command: z.string(), user: z.string().nullable() }),
    z.object({ kind: z.literal('system'), reason: z.string() }),
  ])
  .meta({ id: 'Actor' });

/** What is needed to name people and to open what is sealed of them. */
export type People = Pick<Capabilities, 'vault' | 'directory'>;

/** @returns the actor with what is sealed of it in plain, and with the names that people and tokens have in the directory */
export function eventActor(actor: Actor, { vault, directory }: People): z.infer<typeof EventActor> {
  switch (actor.kind) {
    case 'operator': {
      const { kind, sessionId, usedTotp, operatorId = BUILT_IN_ADMINISTRATOR, tokenId } = actor;
      const fields = new SealedFields(vault);
      return {
        kind,
        operator_id: operatorId,
        name: directory.nameOf(operatorId, fields),
        token_id: tokenId ?? null,
        token_name: tokenId === undefined ? null : directory.tokenNameOf(tokenId),
        // The password, unless the event says otherwise.
        method: actor.method ?? (sessionId === null ? null : 'password'),
        session_id: sessionId,
        address: fields.open('address', actor.address),
        user_agent: fields.open('user_agent', actor.userAgent),
        used_totp: usedTotp,
        ...fields.forgotten(),
      };
    }
    case 'apiKey':
      return { kind: 'api_key', api_key_id: actor.keyId };
    default:
      return actor;
  }
}
