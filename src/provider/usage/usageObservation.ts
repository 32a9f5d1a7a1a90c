import type { AccountId, Instant } from '../../domain/core/brands.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import type { Cause, HandleCommand } from '../../state/commands/commandHandler.ts';
import { monthOf, subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { type AccountAnswer, createAccountGet } from '../client/accountGet.ts';
import { objectIn } from '../client/json.ts';
import { codeOf, providerClient } from '../client/providerClient.ts';
import { createThrottledReports, ProviderTrouble } from '../client/throttledReports.ts';
import type { AccessTokens } from '../tokens/accessTokens.ts';
import { type ReportedUsage, readUsage } from './usagePayload.ts';

export interface UsageObservationOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly tokens: Pick<AccessTokens, 'headersFor' | 'refresh'>;
  readonly now: () => Instant;
  /** A new UUID. */
  readonly newId: () => string;
  /** Told at most once an hour of each account. */
  readonly report: (error: Error) => void;
  /** `SVC_UPSTREAM_BASE_URL` */
  readonly upstreamBaseUrl: string;
  readonly timeoutMs?: number;
  /** Before the first repetition of a call that may do better; the second waits twice as long. */
  readonly backoffMs?: number;
}

/** Asks the provider once what an account has used. Resolves when the answer is folded, or at `signal`; never rejects. */
export type ObserveUsage = (accountId: AccountId, signal: AbortSignal) => Promise<void>;

const MAX_REPETITIONS = 2;
const MAX_RETRY_AFTER_MS = 5_000;
const WORTH_REPEATING = [408, 429, ...Array.from({ length: 100 }, (_, index) => 500 + index)];
/** So many answers in a row must say that there is no such account before we believe it. */
const ANSWERS_TO_DEACTIVATE = 3;

export function createUsageObservation({
  hot,
  handle,
  tokens,
  now,
  newId,
  report,
  upstreamBaseUrl,
  timeoutMs = 10_000,
  backoffMs = 500,
}: UsageObservationOptions): ObserveUsage {
  const client = providerClient.extend({
    timeout: { request: timeoutMs },
    retry: {
      limit: MAX_REPETITIONS,
      statusCodes: WORTH_REPEATING,
      maxRetryAfter: MAX_RETRY_AFTER_MS,
      calculateDelay: ({ attemptCount, retryAfter }) => retryAfter ?? backoffMs * 2 ** (attemptCount - 1),
    },
  });
  const get = createAccountGet({ hot, tokens, client, newId });
  const reportRarely = createThrottledReports({ report, now });
  /** Answers in a row that said that there is no such account. */
  const missing = new Map<AccountId, number>();
  /** A wrong base URL answers 404 for every account: only an endpoint that has answered one can know of none. */
  let hasAnswered = false;

  async function observe(accountId: AccountId, signal: AbortSignal): Promise<void> {
    const answer = await ask(accountId, signal);
    const account = hot.state.accounts.get(accountId);
    if (!answer || !account || account.status === 'deactivated') return;
    const { status, body } = answer;
    const usage = status === 200 ? readUsage(objectIn(body), now()) : undefined;
    if (usage) return record(accountId, usage);
    if (status === 402 || (status === 404 && hasAnswered)) return countMissing(accountId, status);
    missing.delete(accountId);
    trouble(accountId, status === 200 ? 'is not in a form that we know' : `could not be read: HTTP ${status}`);
  }

  /** Undefined when there is no answer to be had: that is reported here, or by whoever refreshes tokens. */
  async function ask(accountId: AccountId, signal: AbortSignal): Promise<AccountAnswer | undefined> {
    try {
      return await get(accountId, `${upstreamBaseUrl}/wham/usage`, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      missing.delete(accountId);
      trouble(accountId, `could not be read: ${codeOf(error)}`, error);
      return undefined;
    }
  }

  async function record(accountId: AccountId, { sample, planType }: ReportedUsage): Promise<void> {
    hasAnswered = true;
    missing.delete(accountId);
    const cause = becauseOfPoll();
    const stream = { accountId, yyyymm: monthOf(now()) };
    await handle(subjects.accountUsage, stream, { type: 'ObserveUsage', accountId, sample }, cause);
    if (planType === null || planType === hot.state.accounts.get(accountId)?.planType) return;
    await handle(subjects.account, accountId, { type: 'ObservePlan', accountId, planType }, cause);
  }

  async function countMissing(accountId: AccountId, status: number): Promise<void> {
    const answers = (missing.get(accountId) ?? 0) + 1;
    missing.set(accountId, answers);
    if (answers < ANSWERS_TO_DEACTIVATE) return;
    missing.delete(accountId);
    const reason = `Usage API error: HTTP ${status}`;
    const command = { type: 'DeactivateAccount', accountId, reason, code: `usage_http_${status}` } as const;
    await handle(subjects.account, accountId, command, becauseOfPoll());
  }

  function trouble(accountId: AccountId, what: string, cause?: unknown): void {
    reportRarely(accountId, new ProviderTrouble(`the usage of account ${accountId} ${what}`, { cause }));
  }

  const becauseOfPoll = (): Cause => ({ actor: { kind: 'system', reason: 'usage poll' }, correlationId: newId() });

  return (accountId, signal) =>
    observe(accountId, signal).catch((error) => {
      const isGone = error instanceof Refusal && error.code === 'account_not_found';
      if (!isGone && !signal.aborted) trouble(accountId, 'could not be recorded', error);
    });
}
