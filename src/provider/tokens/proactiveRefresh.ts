import type { SealedTokens } from '../../domain/account/events.ts';
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

export interface ProactiveRefresh {
  /** Looks now and once in each interval. */
  start(): void;
  /** Refreshes what is due. Resolves when all of it has ended; never rejects. */
  round(): Promise<void>;
  /** Begins no more; waits for those under way. */
  stop(): Promise<void>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** As early as Codex, and up to twice as early (docs/clients.md#codex-refreshes-five-minutes-before-expiry). */
const LEAD_MS = 5 * MINUTE_MS;
/** Of a token that lives shorter than that, no more than this part is given away. */
const MAX_OF_LIFETIME = 1 / 4;
/** A token that does not say when it ends is refreshed by age (docs/provider.md#token-endpoint). */
const MAX_AGE_MS = 8 * DAY_MS;
const PARALLEL = 4;
const FIRST_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 10 * MINUTE_MS;

/**
 * Refreshes tokens shortly before they run out, so that no request has to wait for it. Accounts that were signed in
 * together do not come due together, and after a failure that may pass an account is left alone for longer each time.
 * Paused accounts are kept alive as well: a refresh token that is never used runs out too.
 */
export function createProactiveRefresh({
  hot,
  tokens,
  now,
  everyMs = 30_000,
}: ProactiveRefreshOptions): ProactiveRefresh {
  const inSlot = createSemaphore(PARALLEL);
  const underWay = new Map<AccountId, Promise<void>>();
  const failures = new Map<AccountId, { readonly count: number; readonly until: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function refresh(accountId: AccountId): Promise<void> {
    const isStillDue = () => !isStopped && isDue(accountId);
    const result = await inSlot(async () => (isStillDue() ? tokens.refresh(accountId, 'expiring') : 'already'));
    if (result !== 'transient') failures.delete(accountId);
    else {
      const count = (failures.get(accountId)?.count ?? 0) + 1;
      const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (count - 1), MAX_BACKOFF_MS);
      failures.set(accountId, { count, until: now() + spread(`${accountId} ${count}`, backoffMs / 2, backoffMs) });
    }
  }

  function isDue(accountId: AccountId): boolean {
    const account = hot.state.accounts.get(accountId);
    const held = hot.state.tokens.get(accountId)?.tokens;
    return (
      account !== undefined && held !== undefined && account.status !== 'deactivated' && dueAt(accountId, held) <= now()
    );
  }

  async function round(): Promise<void> {
    for (const accountId of failures.keys()) if (!hot.state.accounts.has(accountId)) failures.delete(accountId);
    for (const accountId of hot.state.accounts.keys()) {
      const isResting = (failures.get(accountId)?.until ?? 0) > now();
      if (isStopped || isResting || underWay.has(accountId) || !isDue(accountId)) continue;
      underWay.set(
        accountId,
        refresh(accountId).finally(() => underWay.delete(accountId)),
      );
    }
    await Promise.all(underWay.values());
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
      await Promise.all(underWay.values());
    },
  };
}

/** When an account's tokens should be refreshed; the same on every node. */
export function dueAt(accountId: AccountId, { access, accessExpiresAt, refreshedAt }: SealedTokens): Instant {
  if (accessExpiresAt === null) return instant(refreshedAt + spread(access, MAX_AGE_MS, MAX_AGE_MS + DAY_MS));
  const lifetimeMs = Math.max(0, accessExpiresAt - refreshedAt);
  const leadMs = Math.min(
    spread(`${accountId} ${accessExpiresAt}`, LEAD_MS, 2 * LEAD_MS),
    lifetimeMs * MAX_OF_LIFETIME,
  );
  return instant(accessExpiresAt - Math.floor(leadMs));
}

/** A number from `least` on and below `most` that only depends on what is hashed. */
const spread = (seed: string, least: number, most: number): number => least + (hash32(seed) / 2 ** 32) * (most - least);
