import type { SealedTokens } from '../../domain/account/events.ts';
import type { RefreshResultCommand } from '../../domain/accountTokens/decide.ts';
import type { AccountId, Instant, Sealed } from '../../domain/core/brands.ts';
import type { Cause, HandleCommand } from '../../state/commands/commandHandler.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { Vault } from '../../vault/vault.ts';
import type { AccountHeaders } from '../client/outboundHeaders.ts';
import { createThrottledReports, ProviderTrouble } from '../client/throttledReports.ts';
import type { TokenEndpoint } from '../client/tokenEndpoint.ts';
import { createTokenRefresh } from './refresh/tokenRefresh.ts';

/**
 * `refreshed`: new tokens are in the log; `already`: valid ones were there before anybody had to be asked;
 * `transient`: not now; `permanent`: never again with these tokens, the account is deactivated or gone.
 */
export type RefreshResult = 'refreshed' | 'already' | 'transient' | 'permanent';

export interface AccessTokens {
  /**
   * What a request of the account carries; undefined when its access token runs out within a minute. From memory, for
   * the hot path: a value is opened once.
   */
  headersFor(accountId: AccountId): AccountHeaders | undefined;
  /**
   * Makes the account's tokens valid. Parallel calls are one call, here and between nodes. Never rejects.
   * @param reason a token that is `expiring` is still good and refreshed all the same
   * @param usedAuthorization the header that the provider refused: when it has been replaced since, nobody is asked
   */
  refresh(
    accountId: AccountId,
    reason: 'expired' | 'unauthorized' | 'expiring',
    usedAuthorization?: string,
  ): Promise<RefreshResult>;
  /** Whether a request could be tried: active, with a valid token or one that is worth refreshing now. */
  isUsable(accountId: AccountId): boolean;
  /** Begins no more refreshes and waits until the results of those under way are in the log. */
  stop(): Promise<void>;
}

export interface AccessTokensOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly vault: Vault;
  /** Makes durable what became of a refresh, and folds it; by `handle` unless given. @throws Refusal as `handle` does */
  readonly recordResult?: (command: RefreshResultCommand, cause: Cause) => Promise<void>;
  readonly tokenEndpoint: TokenEndpoint;
  readonly now: () => Instant;
  /** A new UUID. */
  readonly newId: () => string;
  readonly report: (error: Error) => void;
}

/** A line break in a token would begin a header of its own. */
function sendable(value: string): string {
  if (/[^\x20-\x7e]/.test(value)) throw new Error('they hold characters that no header may carry');
  return value;
}

/** An access token must be good for so much longer when a request sets out with it. */
const MARGIN_MS = 60_000;

interface Opened {
  readonly access: Sealed;
  readonly headers: AccountHeaders | undefined;
  readonly validUntil: number;
}

export function createAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { hot, vault, now, report } = options;
  const refreshing = createTokenRefresh(options);
  const reportRarely = createThrottledReports({ report, now });
  const opened = new Map<AccountId, Opened>();

  hot.onFolded((event) => {
    switch (event.type) {
      case 'AccountImported':
      case 'AccountTokensReplaced':
      case 'AccountDeleted':
      case 'TokensRefreshed':
        opened.delete(event.data.accountId);
    }
  });

  function open(accountId: AccountId, { access, accessExpiresAt }: SealedTokens): Opened {
    const validUntil = accessExpiresAt === null ? Number.POSITIVE_INFINITY : accessExpiresAt - MARGIN_MS;
    let headers: AccountHeaders | undefined;
    try {
      const authorization = sendable(`Bearer ${vault.open(access)}`);
      const id = upstreamIdOf(accountId);
      const upstreamId = id === null ? null : sendable(id);
      headers = Object.freeze(
        upstreamId === null ? { authorization } : { authorization, 'chatgpt-account-id': upstreamId },
      );
    } catch (cause) {
      const message = `the tokens of account ${accountId} cannot be opened: sign in again, or import the account anew`;
      reportRarely(accountId, new ProviderTrouble(message, { cause }));
    }
    const entry = { access, headers, validUntil };
    opened.set(accountId, entry);
    return entry;
  }

  /** Ids that we made up mean nothing to the provider (docs/decisions/0034-account-summary.md). */
  function upstreamIdOf(accountId: AccountId): string | null {
    const id = hot.state.accounts.get(accountId)?.upstreamAccountId ?? null;
    const isOurs = [accountId, id].some((name) => name?.startsWith('email_') || name?.startsWith('local_'));
    return isOurs ? null : id;
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
      return refreshing.refresh(accountId);
    },
    isUsable: (accountId) =>
      hot.state.accounts.get(accountId)?.status === 'active' &&
      (headersFor(accountId) !== undefined || refreshing.isWorthwhile(accountId)),
    stop: refreshing.stop,
  };
}
