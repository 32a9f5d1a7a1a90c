import type { LearnedWindows } from '../../domain/accountUsage/decide.ts';
import type { UsageWindow } from '../../domain/accountUsage/events.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { HeaderLookup } from '../../http/wire/headers.ts';
import type { Faults } from '../../lib/faults.ts';
import type { HandleCommand } from '../../state/commands/commandHandler.ts';
import { monthOf, subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { floorPercent, MAX_WINDOW_SECONDS, numberIn, resetIn, toWindowSlots } from './usagePayload.ts';

export interface LearnedUsageOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly now: () => Instant;
  /** A new UUID. */
  readonly newId: () => string;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  /** Minimum time between two events of one account. */
  readonly minIntervalMs?: number;
}

/** Records the usage that responses to model requests report. */
export interface LearnedUsage {
  /** Called with the headers of every response to a model request, errors included. Synchronous and cheap; never throws. */
  learn(accountId: AccountId, headers: HeaderLookup): void;
  /** Resolves when all usage learned so far is in the log. */
  stop(): Promise<void>;
}

/** What was learned about one account. */
interface AccountMemory {
  /** The latest headers, unparsed: most responses repeat those of the previous one. */
  primaryPercent: unknown;
  secondaryPercent: unknown;
  primaryReset: unknown;
  secondaryReset: unknown;
  /** The latest windows, if not written yet. */
  pending: LearnedWindows | undefined;
  writing: Promise<void> | undefined;
  pause: NodeJS.Timeout | undefined;
}

/** Ends when usage is recorded again. */
export const USAGE_NOT_RECORDED = 'usage_not_recorded';

const MIN_INTERVAL_MS = 1_000;

/** Records usage between two polls, from the `x-codex-*` headers of responses (docs/provider.md#rate-limit-headers). */
export function createLearnedUsage(options: LearnedUsageOptions): LearnedUsage {
  const { hot, handle, now, newId, faults, minIntervalMs = MIN_INTERVAL_MS } = options;
  const memories = new Map<AccountId, AccountMemory>();

  async function write(accountId: AccountId, windows: LearnedWindows): Promise<void> {
    if (!hot.state.accounts.has(accountId)) {
      memories.delete(accountId);
      return;
    }
    const cause = { actor: { kind: 'system', reason: 'response headers' }, correlationId: newId() } as const;
    const stream = { accountId, yyyymm: monthOf(now()) };
    await handle(subjects.accountUsage, stream, { type: 'LearnUsage', accountId, windows }, cause);
    faults.clear(USAGE_NOT_RECORDED, accountId);
  }

  function writePending(accountId: AccountId, memory: AccountMemory): void {
    const { pending } = memory;
    if (!pending || memory.writing || memory.pause) return;
    memory.pending = undefined;
    memory.writing = write(accountId, pending)
      .catch(({ message }: Error) => {
        faults.raise({
          code: USAGE_NOT_RECORDED,
          subject: accountId,
          cause: `The usage of account ${accountId} that responses name could not be recorded: ${message}.`,
          remedy: 'The next response is recorded again, and usage is polled.',
        });
      })
      .then(() => {
        memory.writing = undefined;
        memory.pause = setTimeout(() => {
          memory.pause = undefined;
          writePending(accountId, memory);
        }, minIntervalMs).unref();
      });
  }

  return {
    learn(accountId, headers) {
      const primaryPercent = headers.get('x-codex-primary-used-percent');
      const secondaryPercent = headers.get('x-codex-secondary-used-percent');
      if (primaryPercent === undefined && secondaryPercent === undefined) return;
      const primaryReset = headers.get('x-codex-primary-reset-at');
      const secondaryReset = headers.get('x-codex-secondary-reset-at');
      const memory = memories.get(accountId) ?? newMemory(memories, accountId);
      if (
        memory.primaryPercent === primaryPercent &&
        memory.secondaryPercent === secondaryPercent &&
        memory.primaryReset === primaryReset &&
        memory.secondaryReset === secondaryReset
      ) {
        return;
      }
      Object.assign(memory, { primaryPercent, secondaryPercent, primaryReset, secondaryReset });
      memory.pending = windowsIn(headers, now());
      writePending(accountId, memory);
    },
    async stop() {
      for (const [accountId, memory] of memories) {
        await memory.writing;
        clearTimeout(memory.pause);
        memory.pause = undefined;
        writePending(accountId, memory);
        await memory.writing;
        clearTimeout(memory.pause);
      }
    },
  };
}

function newMemory(memories: Map<AccountId, AccountMemory>, accountId: AccountId): AccountMemory {
  const noHeaders = { primaryPercent: undefined, secondaryPercent: undefined, primaryReset: undefined };
  const memory = { ...noHeaders, secondaryReset: undefined, pending: undefined, writing: undefined, pause: undefined };
  memories.set(accountId, memory);
  return memory;
}

/** Reads the windows from the headers; null for a window that they do not contain. */
export function windowsIn(headers: HeaderLookup, now: Instant): LearnedWindows {
  return toWindowSlots(windowIn(headers, 'primary', now), windowIn(headers, 'secondary', now));
}

function windowIn(headers: HeaderLookup, name: 'primary' | 'secondary', now: Instant): UsageWindow | null {
  const number = (field: string) => numberIn(headers.get(`x-codex-${name}-${field}`));
  const percent = number('used-percent');
  if (percent === undefined) return null;
  const minutes = number('window-minutes');
  const isLength = minutes !== undefined && minutes > 0 && minutes * 60 <= MAX_WINDOW_SECONDS;
  return {
    usedPercent: floorPercent(percent),
    resetAt: resetIn(number('reset-at'), number('reset-after-seconds'), now),
    windowMinutes: isLength ? Math.ceil(minutes) : null,
  };
}
