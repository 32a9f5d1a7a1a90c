import type { AccountId, Instant } from '../../domain/core/brands.ts';
import { Refusal } from '../../domain/core/refusal.ts';
import type { Faults } from '../../lib/faults.ts';
import type { Cause, HandleCommand } from '../../state/commands/commandHandler.ts';
import { monthOf, subjects } from '../../state/fold/subjects.ts';
import type { HotRunner } from '../../state/hotRunner.ts';
import { objectIn } from '../client/json.ts';
import { codeOf, providerClient } from '../client/providerClient.ts';
import type { AgentFor } from '../outgoingProxy/outgoingProxies.ts';
import { isProxyFailureCode } from '../outgoingProxy/proxyFailure.ts';
import type { AccessTokens } from '../tokens/accessTokens.ts';
import { type AccountResponse, createAuthenticatedGet } from '../tokens/authenticatedGet.ts';
import { type ReportedUsage, readUsage } from './usagePayload.ts';

export interface ObserveUsageOptions {
  readonly hot: HotRunner;
  readonly handle: HandleCommand;
  readonly tokens: Pick<AccessTokens, 'headersFor' | 'refresh'>;
  readonly now: () => Instant;
  /** A new UUID. */
  readonly newId: () => string;
  readonly faults: Pick<Faults, 'raise' | 'clear'>;
  readonly agentFor: AgentFor;
  /** `SVC_UPSTREAM_BASE_URL` */
  readonly upstreamBaseUrl: string;
  readonly timeoutMs?: number;
  /** Before the first retry; the second waits twice as long. */
  readonly backoffMs?: number;
}

/** Polls the usage of an account once. Resolves when it has been recorded and folded, or at `signal`; never rejects. */
export type ObserveUsage = (accountId: AccountId, signal: AbortSignal) => Promise<void>;

/** Ends with a poll that succeeds. */
export const USAGE_UNAVAILABLE = 'usage_unavailable';

const MAX_RETRIES = 2;
const MAX_RETRY_AFTER_MS = 5_000;
const RETRIED_STATUSES = [408, 429, ...Array.from({ length: 100 }, (_, index) => 500 + index)];
/** Consecutive responses that the account does not exist, before svc deactivates it. */
const MISSES_TO_DEACTIVATE = 3;

/** Creates the poll of one account, with retries; deactivates accounts that do not exist at the provider. */
export function createObserveUsage({
  hot,
  handle,
  tokens,
  now,
  newId,
  faults,
  agentFor,
  upstreamBaseUrl,
  timeoutMs = 10_000,
  backoffMs = 500,
}: ObserveUsageOptions): ObserveUsage {
  const client = providerClient({
    timeout: { request: timeoutMs },
    retry: {
      limit: MAX_RETRIES,
      statusCodes: RETRIED_STATUSES,
      maxRetryAfter: MAX_RETRY_AFTER_MS,
      calculateDelay: ({ attemptCount, retryAfter }) => retryAfter ?? backoffMs * 2 ** (attemptCount - 1),
    },
  });
  const authenticatedGet = createAuthenticatedGet({ hot, tokens, client, agentFor, newId });
  /** Consecutive responses that the account does not exist. */
  const misses = new Map<AccountId, number>();
  /** With a wrong base URL every account gets 404. So 404 means a missing account only after a success. */
  let hasSucceeded = false;

  async function observe(accountId: AccountId, signal: AbortSignal): Promise<void> {
    const response = await get(accountId, signal);
    const account = hot.state.accounts.get(accountId);
    if (!response || !account || account.status === 'deactivated') return;
    const { status, body } = response;
    const usage = status === 200 ? readUsage(objectIn(body), now()) : undefined;
    if (usage) return record(accountId, usage);
    if (status === 402 || (status === 404 && hasSucceeded)) return countMiss(accountId, status);
    misses.delete(accountId);
    reportProblem(accountId, status === 200 ? 'is in an unknown format' : `could not be read: HTTP ${status}`);
  }

  /** @returns undefined without a response, which is reported here or by the token refresh */
  async function get(accountId: AccountId, signal: AbortSignal): Promise<AccountResponse | undefined> {
    try {
      return await authenticatedGet(accountId, `${upstreamBaseUrl}/wham/usage`, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      misses.delete(accountId);
      const code = codeOf(error);
      // A proxy that fails is a problem of its own, said once for all accounts.
      if (!isProxyFailureCode(code)) reportProblem(accountId, `could not be read: ${code}`);
      return undefined;
    }
  }

  async function record(accountId: AccountId, { sample, planType }: ReportedUsage): Promise<void> {
    hasSucceeded = true;
    misses.delete(accountId);
    const cause = pollCause();
    const stream = { accountId, yyyymm: monthOf(now()) };
    await handle(subjects.accountUsage, stream, { type: 'ObserveUsage', accountId, sample }, cause);
    faults.clear(USAGE_UNAVAILABLE, accountId);
    if (planType === null || planType === hot.state.accounts.get(accountId)?.planType) return;
    await handle(subjects.account, accountId, { type: 'ObservePlan', accountId, planType }, cause);
  }

  async function countMiss(accountId: AccountId, status: number): Promise<void> {
    const count = (misses.get(accountId) ?? 0) + 1;
    misses.set(accountId, count);
    if (count < MISSES_TO_DEACTIVATE) return;
    misses.delete(accountId);
    const reason = `Usage API error: HTTP ${status}`;
    const command = { type: 'DeactivateAccount', accountId, reason, code: `usage_http_${status}` } as const;
    await handle(subjects.account, accountId, command, pollCause());
  }

  function reportProblem(accountId: AccountId, problem: string): void {
    faults.raise({
      code: USAGE_UNAVAILABLE,
      subject: accountId,
      cause: `The usage of account ${accountId} ${problem}. Requests are distributed by what was known before.`,
      remedy: 'svc asks again at each SVC_USAGE_REFRESH_SECONDS; if it lasts, check the account and the network.',
    });
  }

  const pollCause = (): Cause => ({ actor: { kind: 'system', reason: 'usage poll' }, correlationId: newId() });

  return (accountId, signal) =>
    observe(accountId, signal).catch((error) => {
      const isDeleted = error instanceof Refusal && error.code === 'account_not_found';
      if (!isDeleted && !signal.aborted) reportProblem(accountId, `could not be recorded: ${(error as Error).message}`);
    });
}
