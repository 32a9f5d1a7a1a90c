import type { LearnedWindows } from '../../domain/accountUsage/decide.ts';
import type { UsageWindow } from '../../domain/accountUsage/events.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { HeaderLookup } from '../../http/wire/headerLookup.ts';
import type { HandleCommand } from '../../state/commands/commandHandler.ts';
import { monthOf, subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { createThrottledReports, ProviderTrouble } from '../client/throttledReports.ts';
import { inTheirSlots, MAX_WINDOW_SECONDS, numberIn, resetIn, wholePercent } from './usagePayload.ts';

export interface LearnedUsageOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly now: () => Instant;
  /** A new UUID. */
  readonly newId: () => string;
  /** Told at most once an hour of each account. */
  readonly report: (error: Error) => void;
  /** Between two events of one account. */
  readonly leastMs?: number;
}

export interface LearnedUsage {
  /** Told of the headers of every answer to a model request, refusals too. Synchronous and cheap; never throws. */
  learn(accountId: AccountId, headers: HeaderLookup): void;
  /** Resolves when what was learned so far is in the log. */
  stop(): Promise<void>;
}

/** What was learned of one account. */
interface Memory {
  /** The headers that were looked at last, as they came: most answers say what the one before said. */
  primaryPercent: unknown;
  secondaryPercent: unknown;
  primaryReset: unknown;
  secondaryReset: unknown;
  /** Not written yet; the latest counts. */
  next: LearnedWindows | undefined;
  writing: Promise<void> | undefined;
  pause: NodeJS.Timeout | undefined;
}

const MIN_MS = 1_000;

/** Usage between two polls, from the `x-codex-*` headers of responses (docs/provider.md#rate-limit-headers). */
export function createLearnedUsage(options: LearnedUsageOptions): LearnedUsage {
  const { hot, handle, now, newId, report, leastMs = MIN_MS } = options;
  const memories = new Map<AccountId, Memory>();
  const reportRarely = createThrottledReports({ report, now });

  async function write(accountId: AccountId, windows: LearnedWindows): Promise<void> {
    if (!hot.state.accounts.has(accountId)) {
      memories.delete(accountId);
      return;
    }
    const cause = { actor: { kind: 'system', reason: 'headers of an answer' }, correlationId: newId() } as const;
    const stream = { accountId, yyyymm: monthOf(now()) };
    await handle(subjects.accountUsage, stream, { type: 'LearnUsage', accountId, windows }, cause);
  }

  function writeNext(accountId: AccountId, memory: Memory): void {
    const { next } = memory;
    if (!next || memory.writing || memory.pause) return;
    memory.next = undefined;
    memory.writing = write(accountId, next)
      .catch((cause) => {
        const message = `the usage of account ${accountId}, learned from an answer, could not be recorded`;
        reportRarely(accountId, new ProviderTrouble(message, { cause }));
      })
      .then(() => {
        memory.writing = undefined;
        memory.pause = setTimeout(() => {
          memory.pause = undefined;
          writeNext(accountId, memory);
        }, leastMs).unref();
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
      memory.next = windowsIn(headers, now());
      writeNext(accountId, memory);
    },
    async stop() {
      for (const [accountId, memory] of memories) {
        await memory.writing;
        clearTimeout(memory.pause);
        memory.pause = undefined;
        writeNext(accountId, memory);
        await memory.writing;
        clearTimeout(memory.pause);
      }
    },
  };
}

function newMemory(memories: Map<AccountId, Memory>, accountId: AccountId): Memory {
  const nothing = { primaryPercent: undefined, secondaryPercent: undefined, primaryReset: undefined };
  const memory = { ...nothing, secondaryReset: undefined, next: undefined, writing: undefined, pause: undefined };
  memories.set(accountId, memory);
  return memory;
}

/** The windows that headers name; null for the others. */
export function windowsIn(headers: HeaderLookup, now: Instant): LearnedWindows {
  return inTheirSlots(windowIn(headers, 'primary', now), windowIn(headers, 'secondary', now));
}

function windowIn(headers: HeaderLookup, name: 'primary' | 'secondary', now: Instant): UsageWindow | null {
  const number = (field: string) => numberIn(headers.get(`x-codex-${name}-${field}`));
  const percent = number('used-percent');
  if (percent === undefined) return null;
  const minutes = number('window-minutes');
  const isLength = minutes !== undefined && minutes > 0 && minutes * 60 <= MAX_WINDOW_SECONDS;
  return {
    usedPercent: wholePercent(percent),
    resetAt: resetIn(number('reset-at'), number('reset-after-seconds'), now),
    windowMinutes: isLength ? Math.ceil(minutes) : null,
  };
}
