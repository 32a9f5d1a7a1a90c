import type { Instant } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { Role } from '../operator/role.ts';
import type { ManagementTokenEvent, TokenScope } from './events.ts';

export interface ManagementToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly ownerId: string;
  readonly scopes: readonly TokenScope[];
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  /** Revoked tokens are kept to tell their use from guesses. */
  readonly revokedAt: Instant | null;
  /** To the hour. */
  readonly lastUsedAt: Instant | null;
}

export type ManagementTokens = ReadonlyMap<string, ManagementToken>;

export const initialState: ManagementTokens = new Map();

const MAX_REVOKED = 1_000;

export function evolve(
  tokens: ManagementTokens,
  { type, data, time }: Recorded<ManagementTokenEvent>,
): ManagementTokens {
  const { tokenId: id } = data;
  const changed = new Map(tokens);
  if (type === 'ManagementTokenCreated') {
    const { name, role, ownerId, scopes, hash, expiresAt } = data;
    return changed.set(id, {
      ...{ id, name, role, ownerId, scopes, hash, createdAt: time, expiresAt },
      ...{ revokedAt: null, lastUsedAt: null },
    });
  }
  const token = tokens.get(id);
  if (!token) return tokens;
  if (type === 'ManagementTokenUsed') return changed.set(id, { ...token, lastUsedAt: time });
  // Last in the order, so that the ones revoked first are dropped.
  changed.delete(id);
  changed.set(id, { ...token, revokedAt: time });
  const revoked = [...changed.values()].filter(({ revokedAt }) => revokedAt !== null);
  if (revoked.length > MAX_REVOKED) changed.delete(revoked[0]?.id as string);
  return changed;
}

/** Whether a token is neither revoked nor expired. Its owner must be able to act as well. */
export const isTokenValid = ({ revokedAt, expiresAt }: ManagementToken, now: Instant): boolean =>
  revokedAt === null && (expiresAt === null || now < expiresAt);
