import type { AccountId } from '../../domain/core/brands.ts';
import { hash32 } from '../../domain/routing/hash.ts';
import { createSemaphore } from '../../lib/semaphore.ts';
import { createUsageObservation, type UsageObservationOptions } from './usageObservation.ts';

export interface UsagePoller {
  /** Asks for every account that is not deactivated once in each interval, each at a moment of its own. */
  start(): void;
  /** Asks for one account at once, e.g. after its import. Resolves when the answer is folded; never rejects. */
  pollNow(accountId: AccountId): Promise<void>;
  /** Aborts the calls under way and waits until nothing of them is left. `start` may follow. */
  stop(): Promise<void>;
}

export interface UsagePollerOptions extends UsageObservationOptions {
  readonly everyMs: number;
}

const PARALLEL = 4;

export function createUsagePoller({ everyMs, ...options }: UsagePollerOptions): UsagePoller {
  const { hot } = options;
  const observe = createUsageObservation(options);
  const inSlot = createSemaphore(PARALLEL);
  const underWay = new Map<AccountId, Promise<void>>();
  const due = new Map<AccountId, NodeJS.Timeout>();
  let rounds: NodeJS.Timeout | undefined;
  let stopping = new AbortController();

  function round(): void {
    for (const { id, status } of hot.state.accounts.values()) {
      if (status === 'deactivated' || due.has(id) || underWay.has(id)) continue;
      const begin = () => {
        due.delete(id);
        void poll(id, inSlot);
      };
      due.set(id, setTimeout(begin, hash32(id) % everyMs).unref());
    }
  }

  function poll(accountId: AccountId, admit: (work: () => Promise<void>) => Promise<void>): Promise<void> {
    const running = underWay.get(accountId);
    if (running) return running;
    const { signal } = stopping;
    const polled = admit(() => observe(accountId, signal)).finally(() => underWay.delete(accountId));
    underWay.set(accountId, polled);
    return polled;
  }

  return {
    start() {
      if (rounds) return;
      rounds = setInterval(round, everyMs).unref();
      round();
    },
    // Somebody waits for it: it does not queue behind the others.
    pollNow: (accountId) => poll(accountId, (work) => work()),
    async stop() {
      clearInterval(rounds);
      rounds = undefined;
      for (const timer of due.values()) clearTimeout(timer);
      due.clear();
      stopping.abort();
      await Promise.all(underWay.values());
      stopping = new AbortController();
    },
  };
}
