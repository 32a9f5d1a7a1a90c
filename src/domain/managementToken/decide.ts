import type { Instant } from '../core/brands.ts';
import type { Context, Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { mayGrant } from '../operator/grants.ts';
import type { Role } from '../operator/role.ts';
import {
  ManagementTokenCreated,
  type ManagementTokenEvent,
  ManagementTokenRevoked,
  type TokenScope,
} from './events.ts';
import { evolve, initialState, isTokenValid, type ManagementTokens } from './state.ts';

export type ManagementTokenCommand =
  | {
      readonly type: 'CreateToken';
      readonly tokenId: string;
      readonly name: string;
      readonly role: Role;
      /** The roles of who creates it. */
      readonly by: readonly Role[];
      readonly ownerId: string;
      readonly scopes: readonly TokenScope[];
      readonly hash: string;
      readonly expiresAt: Instant | null;
    }
  | { readonly type: 'RevokeToken'; readonly tokenId: string };

/** Tokens of one owner that are neither revoked nor expired. */
export const MAX_TOKENS_PER_OWNER = 100;
export const MAX_TOKEN_NAME_LENGTH = 128;

/** @throws Refusal `insufficient_permissions` | `invalid_token` | `token_not_found` */
export function decide(
  command: ManagementTokenCommand,
  tokens: ManagementTokens,
  { now }: Context,
): ManagementTokenEvent[] {
  const { tokenId } = command;
  if (command.type === 'RevokeToken') {
    const token = tokens.get(tokenId);
    if (!token || token.revokedAt !== null) return refuse('token_not_found', { tokenId });
    return [ManagementTokenRevoked({ tokenId, name: token.name })];
  }
  const { role, by, ownerId, scopes, hash, expiresAt } = command;
  const name = command.name.trim();
  if (name === '' || name.length > MAX_TOKEN_NAME_LENGTH) {
    refuse('invalid_token', { param: 'name', problem: `must have 1 to ${MAX_TOKEN_NAME_LENGTH} characters` });
  }
  if (!mayGrant(by, role)) refuse('insufficient_permissions', { problem: `your role is below ${role}` });
  if (expiresAt !== null && expiresAt <= now)
    refuse('invalid_token', { param: 'expires_at', problem: 'must be in the future' });
  const own = [...tokens.values()].filter((token) => token.ownerId === ownerId && isTokenValid(token, now));
  if (own.length >= MAX_TOKENS_PER_OWNER) {
    refuse('invalid_token', {
      problem: `you have ${MAX_TOKENS_PER_OWNER} tokens, which is the maximum: revoke one first`,
    });
  }
  return [ManagementTokenCreated({ tokenId, name, role, ownerId, scopes: [...scopes], hash, expiresAt })];
}

/** Tokens with which scripts manage the service. */
export const managementToken: Decider<ManagementTokens, ManagementTokenCommand, ManagementTokenEvent> = {
  decide,
  evolve,
  initialState,
};
