import { type Instant, iso } from '../core/brands.ts';
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
import { evolve, initialState, isTokenValid, type ManagementToken, type ManagementTokens } from './state.ts';

export type ManagementTokenCommand =
  | {
      readonly type: 'CreateToken';
      readonly tokenId: string;
      readonly name: string;
      readonly role: Role;
      /** The roles of who creates it. */
      readonly by: readonly Role[];
      /** The token that creates it, if one does. */
      readonly byTokenId?: string | undefined;
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
  if (!name.isWellFormed() || /\p{Cc}/u.test(name)) {
    refuse('invalid_token', { param: 'name', problem: 'must be well-formed text without control characters' });
  }
  if (!mayGrant(by, role)) refuse('insufficient_permissions', { problem: `your role is below ${role}` });
  if (expiresAt !== null && expiresAt <= now)
    refuse('invalid_token', { param: 'expires_at', problem: 'must be in the future' });
  if (command.byTokenId !== undefined) requireNoMore(tokens.get(command.byTokenId), command);
  const own = [...tokens.values()].filter((token) => token.ownerId === ownerId && isTokenValid(token, now));
  if (own.length >= MAX_TOKENS_PER_OWNER) {
    refuse('invalid_token', {
      problem: `you have ${MAX_TOKENS_PER_OWNER} tokens, which is the maximum: revoke one first`,
    });
  }
  return [ManagementTokenCreated({ tokenId, name, role, ownerId, scopes: [...scopes], hash, expiresAt })];
}

/** A token makes none that can do more or lasts longer than itself: else it could outlive its expiry. */
function requireNoMore(
  creator: ManagementToken | undefined,
  { scopes, expiresAt }: Pick<Extract<ManagementTokenCommand, { type: 'CreateToken' }>, 'scopes' | 'expiresAt'>,
): void {
  const missing = scopes.find((scope) => !creator?.scopes.includes(scope));
  if (missing) refuse('insufficient_permissions', { problem: `the token that you use has no scope ${missing}` });
  const last = creator?.expiresAt ?? null;
  if (last === null || (expiresAt !== null && expiresAt <= last)) return;
  const problem = `must not be after that of the token that you use, ${iso(last)}`;
  refuse('invalid_token', { param: 'expires_at', problem });
}

/** Tokens with which scripts manage the service. */
export const managementToken: Decider<ManagementTokens, ManagementTokenCommand, ManagementTokenEvent> = {
  decide,
  evolve,
  initialState,
};
