import type { AccountId } from '../../domain/core/brands.ts';
import { hash32 } from '../../domain/routing/hash.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { createObserveUsage, type ObserveUsageOptions } from './observeUsage.ts';

/** Records the usage of all accounts at an interval. */
export interface UsagePoller {
  /** Polls every account that is not deactivated once in each interval. The polls are spread over the interval. */
  start(): void;
  /** Polls one account immediately, e.g. after its import. Resolves when its usage has been folded; never rejects. */
  pollNow(accountId: AccountId): Promise<void>;
  /** Aborts the polls in flight and waits for them. `start` may follow. */
  stop(): Promise<void>;
}

export interface UsagePollerOptions extends ObserveUsageOptions {
  readonly everyMs: number;
}

const MAX_PARALLEL = 4;

export function createUsagePoller({ everyMs, ...options }: UsagePollerOptions): UsagePoller {
  const { hot } = options;
  const observe = createObserveUsage(options);
  const limitParallel = createSemaphore(MAX_PARALLEL);
  const inFlight = new Map<AccountId, Promise<void>>();
  const scheduled = new Map<AccountId, NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let stopping = new AbortController();

  function round(): void {
    for (const { id, status } of hot.state.accounts.values()) {
      if (status === 'deactivated' || scheduled.has(id) || inFlight.has(id)) continue;
      const start = () => {
        scheduled.delete(id);
        void poll(id, limitParallel);
      };
      scheduled.set(id, setTimeout(start, hash32(id) % everyMs).unref());
    }
  }

  function poll(accountId: AccountId, run: (work: () => Promise<void>) => Promise<void>): Promise<void> {
    const running = inFlight.get(accountId);
    if (running) return running;
    const { signal } = stopping;
    const polled = run(() => observe(accountId, signal)).finally(() => inFlight.delete(accountId));
    inFlight.set(accountId, polled);
    return polled;
  }

  return {
    start() {
      if (timer) return;
      timer = setInterval(round, everyMs).unref();
      round();
    },
    // An operator waits for it, so it does not queue behind the scheduled polls.
    pollNow: (accountId) => poll(accountId, (work) => work()),
    async stop() {
      clearInterval(timer);
      timer = undefined;
      for (const timeout of scheduled.values()) clearTimeout(timeout);
      scheduled.clear();
      stopping.abort();
      await Promise.all(inFlight.values());
      stopping = new AbortController();
    },
  };
}
