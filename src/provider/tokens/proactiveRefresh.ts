import type { SealedCredentials } from '../../domain/account/events.ts';
import { type AccountId, type Instant, instant } from '../../domain/core/brands.ts';
import { hash32 } from '../../domain/routing/hash.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import type { AccessTokens } from './accessTokens.ts';

export interface ProactiveRefreshOptions {
  readonly hot: HotRunner;
  readonly tokens: Pick<AccessTokens, 'refresh'>;
  readonly now: () => Instant;
  readonly everyMs?: number;
}

/** Refreshes tokens before they expire. */
export interface ProactiveRefresh {
  /** Refreshes due tokens now and at each interval. */
  start(): void;
  /** Refreshes due tokens once. Resolves when all refreshes have ended; never rejects. */
  round(): Promise<void>;
  /** Starts no more refreshes and waits for those in flight. */
  stop(): Promise<void>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** At least as early as the provider's own client, at most twice as early (docs/clients.md#codex-refreshes-five-minutes-before-expiry). */
const LEAD_MS = 5 * MINUTE_MS;
/** For short-lived tokens: the maximum share of the lifetime that may be lost. */
const MAX_LIFETIME_SHARE = 1 / 4;
/** For tokens without an expiry (docs/provider.md#token-endpoint). */
const MAX_AGE_MS = 8 * DAY_MS;
const MAX_PARALLEL = 4;
const FIRST_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 10 * MINUTE_MS;

/**
 * Refreshes tokens shortly before they expire, so that requests need not wait for it. Spreads the times of accounts that were
 * imported together, and backs off exponentially after transient failures. Includes paused accounts, because unused refresh
 * tokens expire, too.
 */
export function createProactiveRefresh({
  hot,
  tokens,
  now,
  everyMs = 30_000,
}: ProactiveRefreshOptions): ProactiveRefresh {
  const limitParallel = createSemaphore(MAX_PARALLEL);
  const inFlight = new Map<AccountId, Promise<void>>();
  const failures = new Map<AccountId, { readonly count: number; readonly until: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function refresh(accountId: AccountId): Promise<void> {
    const isStillDue = () => !isStopped && isDue(accountId);
    const result = await limitParallel(async () => (isStillDue() ? tokens.refresh(accountId, 'expiring') : 'already'));
    if (result !== 'transient' && result !== 'proxyFailed') failures.delete(accountId);
    else {
      const count = (failures.get(accountId)?.count ?? 0) + 1;
      const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (count - 1), MAX_BACKOFF_MS);
      failures.set(accountId, { count, until: now() + spread(`${accountId} ${count}`, backoffMs / 2, backoffMs) });
    }
  }

  function isDue(accountId: AccountId): boolean {
    const account = hot.state.accounts.get(accountId);
    const current = hot.state.tokens.get(accountId)?.tokens;
    return (
      account !== undefined &&
      current !== undefined &&
      account.status !== 'deactivated' &&
      dueAt(accountId, current) <= now()
    );
  }

  async function round(): Promise<void> {
    for (const accountId of failures.keys()) if (!hot.state.accounts.has(accountId)) failures.delete(accountId);
    for (const accountId of hot.state.accounts.keys()) {
      const isBackingOff = (failures.get(accountId)?.until ?? 0) > now();
      if (isStopped || isBackingOff || inFlight.has(accountId) || !isDue(accountId)) continue;
      inFlight.set(
        accountId,
        refresh(accountId).finally(() => inFlight.delete(accountId)),
      );
    }
    await Promise.all(inFlight.values());
  }

  return {
    start() {
      timer ??= setInterval(() => void round(), everyMs).unref();
      void round();
    },
    round,
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await Promise.all(inFlight.values());
    },
  };
}

/** @returns when to refresh an account's tokens, the same on every node */
export function dueAt(accountId: AccountId, { access, accessExpiresAt, refreshedAt }: SealedCredentials): Instant {
  if (accessExpiresAt === null) return instant(refreshedAt + spread(access, MAX_AGE_MS, MAX_AGE_MS + DAY_MS));
  const lifetimeMs = Math.max(0, accessExpiresAt - refreshedAt);
  const leadMs = Math.min(
    spread(`${accountId} ${accessExpiresAt}`, LEAD_MS, 2 * LEAD_MS),
    lifetimeMs * MAX_LIFETIME_SHARE,
  );
  return instant(accessExpiresAt - Math.floor(leadMs));
}

/** @returns a number from `min` to below `max` that depends on the seed only */
const spread = (seed: string, min: number, max: number): number => min + (hash32(seed) / 2 ** 32) * (max - min);
