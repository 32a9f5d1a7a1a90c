import type { ManagementContext } from '../http/context.ts';
import { type Actors, UNKNOWN_PERSON } from './actors.ts';
import type { Attempting } from './credentialCheck.ts';

/** The request, as that of a client who is not signed in and acts in the name of an operator; undefined: it is not known of whom. */
export type AttemptFor = (ctx: ManagementContext, operatorId: string | undefined) => Promise<Attempting>;

export const createAttemptFor =
  (actors: Actors): AttemptFor =>
  async ({ state: { client, cause } }, operatorId) => {
    const who = { operatorId: UNKNOWN_PERSON, sessionId: null, usedTotp: false };
    const actor = await actors.of(client, { ...who, sealedFor: operatorId ?? UNKNOWN_PERSON });
    return { state: { client, cause: { ...cause, actor } } };
  };
