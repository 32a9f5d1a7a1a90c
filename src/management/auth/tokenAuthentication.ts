import type { Instant } from '../../domain/core/brands.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import { ManagementTokenUsed } from '../../domain/managementToken/events.ts';
import { isTokenValid, type ManagementToken, type ManagementTokens } from '../../domain/managementToken/state.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { Client } from '../http/context.ts';
import { type Principal, principalOfToken } from '../people/principal.ts';
import { hashOf } from '../people/secrets.ts';
import { type Actors, UNKNOWN_PERSON } from './actors.ts';
import type { CheckCredential } from './credentialCheck.ts';
import type { SignInRecorder } from './signInRecorder.ts';

interface TokenAuthenticationOptions extends Pick<Capabilities, 'views' | 'now'> {
  readonly actors: Actors;
  readonly signIns: SignInRecorder;
  readonly checkCredential: CheckCredential;
}

/** Authenticates scripts by `Authorization: Bearer mt-svc-...`. */
export interface TokenAuthentication {
  /** @returns a Refusal for a token that is unknown, revoked, expired or without an owner who can act; it throws none */
  authenticate(client: Client, token: string, correlationId: string): Promise<Principal | Refusal>;
}

/** Uses within it are not recorded: `ManagementTokenUsed` is at most one event per token and hour. */
const USE_INTERVAL_MS = 3_600_000;
/** So are refused uses of known tokens. */
const REFUSED_INTERVAL_MS = 60_000;

export function createTokenAuthentication(options: TokenAuthenticationOptions): TokenAuthentication {
  const { views, now, actors, signIns, checkCredential } = options;
  /** When an event was last written about a token, until the state says so. At most one entry per token of the state. */
  const noted = new Map<string, Instant>();

  function isDue(name: string, intervalMs: number, last: Instant | null = null): boolean {
    const latest = Math.max(noted.get(name) ?? 0, last ?? 0);
    if (now() - latest < intervalMs && latest <= now()) return false;
    if (noted.size >= MAX_NOTED) noted.clear();
    noted.set(name, now());
    return true;
  }

  const refusalOf = (token: ManagementToken): Refusal => {
    const problem =
      token.revokedAt !== null
        ? 'the management token was revoked'
        : isTokenValid(token, now())
          ? 'the owner of the management token can no longer act'
          : 'the management token has expired';
    return new Refusal('authentication_required', { problem: `${problem}. Create a new one by POST /api/tokens` });
  };

  return {
    async authenticate(client, secret, correlationId) {
      const token = tokenOf(views.current.managementTokens, hashOf(secret));
      if (!token) {
        const actor = await actors.of(client, { operatorId: UNKNOWN_PERSON, sessionId: null, usedTotp: false });
        return checkCredential<never>(
          { state: { client, cause: { actor, correlationId } } },
          {
            credential: 'management token',
            method: 'token',
            verify: () => undefined,
            refusal: ['authentication_required', UNKNOWN],
          },
        ).catch(asRefusal);
      }
      const principal = isTokenValid(token, now()) ? principalOfToken(token, views.current.operators) : undefined;
      const { id: tokenId, ownerId: operatorId } = token;
      const who = { operatorId, sessionId: null, tokenId, method: 'token', usedTotp: false };
      if (!principal) {
        if (isDue(`refused ${tokenId}`, REFUSED_INTERVAL_MS)) {
          // The data key of an owner who was forgotten must not be made again.
          const sealedFor = UNKNOWN_PERSON;
          const cause = { actor: await actors.of(client, { ...who, sealedFor }), correlationId };
          await signIns.recordFailure('token', client.address, cause, operatorId);
        }
        return refusalOf(token);
      }
      if (isDue(tokenId, USE_INTERVAL_MS, token.lastUsedAt)) {
        const cause = { actor: await actors.of(client, who), correlationId };
        await signIns.recordQuietly(ManagementTokenUsed({ tokenId }), cause);
      }
      return principal;
    },
  };
}

const UNKNOWN = { problem: 'the management token is unknown. Create one by POST /api/tokens' };
const MAX_NOTED = 4_000;

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

const byHash = new WeakMap<ManagementTokens, ReadonlyMap<string, ManagementToken>>();

/** The timing of a lookup by hash reveals nothing that helps to guess a token. */
function tokenOf(tokens: ManagementTokens, hash: string): ManagementToken | undefined {
  let index = byHash.get(tokens);
  if (!index) {
    index = new Map(Array.from(tokens.values(), (token) => [token.hash, token]));
    byHash.set(tokens, index);
  }
  return index.get(hash);
}
