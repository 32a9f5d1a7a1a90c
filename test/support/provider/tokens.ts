import { randomUUID } from 'node:crypto';
import { unsignedJwt } from './jwt.ts';

export interface TokenSet {
  idToken: string;
  accessToken: string;
  refreshToken: string;
}

export type RefreshError = 'refresh_token_reused' | 'refresh_token_invalidated';

/** The subject of the tokens. Read for each token, so that a changed plan shows in the next one. */
export interface Identity {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly residency: string | undefined;
  readonly userId: string;
}

interface Family {
  current: TokenSet;
  revoked: boolean;
}

interface AccessGrant {
  family: Family;
  expiresAt: number;
  withdrawn: boolean;
}

export interface TokensOptions {
  identity: Identity;
  accessExpiresInSeconds: number;
  now: () => number;
}

const AUTH_CLAIM = 'https://api.openai.com/auth';
const PROFILE_CLAIM = 'https://api.openai.com/profile';

/**
 * The tokens of one account. As at the real provider a refresh token works once, and using it twice revokes its whole
 * family. An access token is a JWT and valid until its `exp`, unless `expireAccess` is called.
 */
export function createTokens({ identity, accessExpiresInSeconds, now }: TokensOptions) {
  const refreshTokens = new Map<string, Family>();
  const accessTokens = new Map<string, AccessGrant>();
  let family = newFamily();

  function mint(): TokenSet {
    const seconds = Math.floor(now() / 1000);
    const subject = {
      iss: 'https://auth.openai.com',
      sub: `auth0|${identity.userId}`,
      iat: seconds,
      jti: randomUUID(),
      [AUTH_CLAIM]: {
        chatgpt_account_id: identity.id,
        chatgpt_plan_type: identity.plan,
        chatgpt_compute_residency: identity.residency,
        chatgpt_user_id: identity.userId,
        user_id: identity.userId,
      },
    };
    return {
      idToken: unsignedJwt({
        ...subject,
        aud: ['app_EMoamEEZ73f0CkXaXp7hrann'],
        exp: seconds + 3600,
        email: identity.email,
        email_verified: true,
      }),
      accessToken: unsignedJwt({
        ...subject,
        aud: ['https://api.openai.com/v1'],
        exp: seconds + accessExpiresInSeconds,
        [PROFILE_CLAIM]: { email: identity.email, email_verified: true },
      }),
      refreshToken: `rt_${identity.id}_${randomUUID().replaceAll('-', '')}`,
    };
  }

  function remember(owner: Family): TokenSet {
    refreshTokens.set(owner.current.refreshToken, owner);
    accessTokens.set(owner.current.accessToken, {
      family: owner,
      expiresAt: now() + accessExpiresInSeconds * 1000,
      withdrawn: false,
    });
    return owner.current;
  }

  function newFamily(): Family {
    const created = { current: mint(), revoked: false };
    remember(created);
    return created;
  }

  return {
    current: (): TokenSet => family.current,
    /** Creates a new family beside the old ones. */
    signIn(): TokenSet {
      family = newFamily();
      return family.current;
    },

    refresh(refreshToken: string): TokenSet | RefreshError {
      const owner = refreshTokens.get(refreshToken);
      if (!owner) return 'refresh_token_invalidated';
      if (owner.current.refreshToken !== refreshToken) {
        owner.revoked = true;
        return 'refresh_token_reused';
      }
      if (owner.revoked) return 'refresh_token_invalidated';
      owner.current = mint();
      return remember(owner);
    },

    issued: (token: string): boolean => accessTokens.has(token) || refreshTokens.has(token),

    accepts(accessToken: string): boolean {
      const grant = accessTokens.get(accessToken);
      return grant !== undefined && !grant.withdrawn && !grant.family.revoked && grant.expiresAt > now();
    },

    expireAccess(): void {
      for (const grant of accessTokens.values()) grant.withdrawn = true;
    },

    revoke(): void {
      family.revoked = true;
    },
  };
}

export type Tokens = ReturnType<typeof createTokens>;
