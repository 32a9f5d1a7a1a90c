import type { SealedCredentials } from '../../domain/account/events.ts';
import type { AccountId, Sealed } from '../../domain/core/brands.ts';
import { openIfSealed } from '../../vault/openIfSealed.ts';
import { residencyOf } from '../client/jwt.ts';
import { type AccountHeaders, RESIDENCY } from '../client/outboundHeaders.ts';
import { createTokenRefresh } from './refresh/tokenRefresh.ts';
import type { RefreshResult, TokenRefreshOptions } from './refresh/tokenRefreshOptions.ts';

/** The access tokens of all accounts, ready for requests. */
export interface AccessTokens {
  /**
   * The headers of a request on behalf of the account; undefined if its access token expires within a minute. Served from
   * memory, for the hot path: each token is opened once.
   */
  headersFor(accountId: AccountId): AccountHeaders | undefined;
  /**
   * Makes the account's tokens valid. Parallel calls, on this node or others, share one refresh. Never rejects.
   * @param reason an `expiring` token is still valid and refreshed nevertheless
   * @param usedAuthorization the header that the provider refused; if it has been replaced since, the result is `already`
   */
  refresh(
    accountId: AccountId,
    reason: 'expired' | 'unauthorized' | 'expiring',
    usedAuthorization?: string,
  ): Promise<RefreshResult>;
  /** Whether the account is active and its token is valid or could be refreshed now. */
  isUsable(accountId: AccountId): boolean;
  /** Starts no more refreshes and waits until the results of those in flight are in the log. */
  stop(): Promise<void>;
}

/** @throws Error for a value that could start another header */
function assertHeaderSafe(value: string): string {
  if (/[^\x20-\x7e]/.test(value)) throw new Error('it contains characters that are not allowed in a header');
  return value;
}

/** Ends with other tokens of the account, or without it. */
export const TOKENS_UNREADABLE = 'tokens_unreadable';

/** Minimum remaining validity of an access token that a request starts with. */
const MARGIN_MS = 60_000;

interface OpenedTokens {
  readonly access: Sealed;
  readonly headers: AccountHeaders | undefined;
  readonly validUntil: number;
}

/** Creates the access tokens of all accounts over the hot state. */
export function createAccessTokens(options: TokenRefreshOptions): AccessTokens {
  const { hot, vault, now, faults } = options;
  const tokenRefresh = createTokenRefresh(options);
  const opened = new Map<AccountId, OpenedTokens>();

  hot.onFolded((event) => {
    switch (event.type) {
      case 'AccountImported':
      case 'AccountTokensReplaced':
      case 'AccountDeleted':
      case 'TokensRefreshed':
        opened.delete(event.data.accountId);
    }
  });

  function open(accountId: AccountId, { access, accessExpiresAt }: SealedCredentials): OpenedTokens {
    const validUntil = accessExpiresAt === null ? Number.POSITIVE_INFINITY : accessExpiresAt - MARGIN_MS;
    let headers: AccountHeaders | undefined;
    try {
      const token = vault.open(access);
      const authorization = assertHeaderSafe(`Bearer ${token}`);
      const region = residencyOf(token);
      const id = upstreamIdOf(accountId);
      const upstreamId = id === null ? null : assertHeaderSafe(id);
      headers = Object.freeze({
        authorization,
        ...(upstreamId !== null && { 'chatgpt-account-id': upstreamId }),
        ...(region !== null && { [RESIDENCY]: region }),
      });
    } catch (error) {
      faults.raise({
        code: TOKENS_UNREADABLE,
        subject: accountId,
        cause: `The tokens of account ${accountId} cannot be used (${(error as Error).message}), so it serves no requests.`,
        remedy: 'To use it, sign in again or import it again; else delete it.',
      });
    }
    const entry = { access, headers, validUntil };
    opened.set(accountId, entry);
    return entry;
  }

  /** @returns null for ids that svc made up, which the provider does not know (docs/decisions/0034-account-summary.md). */
  function upstreamIdOf(accountId: AccountId): string | null {
    const recorded = hot.state.accounts.get(accountId)?.upstreamAccountId ?? null;
    const id = openIfSealed(recorded, vault);
    const isMadeUp = [accountId, id].some((name) => name?.startsWith('email_') || name?.startsWith('local_'));
    return isMadeUp ? null : id;
  }

  function headersFor(accountId: AccountId): AccountHeaders | undefined {
    const tokens = hot.state.tokens.get(accountId)?.tokens;
    if (!tokens) return undefined;
    let entry = opened.get(accountId);
    if (entry?.access !== tokens.access) entry = open(accountId, tokens);
    return now() <= entry.validUntil ? entry.headers : undefined;
  }

  return {
    headersFor,
    async refresh(accountId, reason, usedAuthorization) {
      const authorization = headersFor(accountId)?.authorization;
      const isReplaced = usedAuthorization === undefined ? reason === 'expired' : authorization !== usedAuthorization;
      if (authorization !== undefined && isReplaced) return 'already';
      return tokenRefresh.refresh(accountId);
    },
    isUsable: (accountId) =>
      hot.state.accounts.get(accountId)?.status === 'active' &&
      (headersFor(accountId) !== undefined || tokenRefresh.isWorthwhile(accountId)),
    stop: tokenRefresh.stop,
  };
}
