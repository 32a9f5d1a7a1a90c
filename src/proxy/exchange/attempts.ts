import { regionsOf } from '../../domain/apiKey/regionsOf.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { AttemptOutcome } from '../../domain/request/attemptOutcomes.ts';
import type { Attempt, CompletedRequest, TokenUsage } from '../../domain/request/events.ts';
import { isInRegion } from '../../domain/routing/select.ts';
import { type AccountHeaders, RESIDENCY } from '../../provider/client/outboundHeaders.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import type { Failure } from '../providerResponse/failure.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import { availableAgainAt } from './availableAgain.ts';
import type { Classification } from './classify.ts';
import { finalError, noAccountError } from './errorsForClient.ts';
import type { State, Transition } from './exchangeState.ts';
import { nextStep, type Step } from './nextStep.ts';
import { type AttemptDetails, endedAttempt, type OpenAttempt } from './openAttempt.ts';
import { penalizeAccount } from './penalizeAccount.ts';
import type { Accounts, Provider } from './ports.ts';
import { refreshFailure } from './refreshFailure.ts';
import { StreamedBody } from './streamedBody.ts';

export interface AttemptServices {
  readonly accounts: Accounts;
  readonly provider: Provider;
  readonly now: () => Instant;
}

/** The request that the attempts are made for. */
export interface Attempted {
  readonly request: AdmittedRequest;
  readonly state: State;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** @returns false when the transition is not possible any more */
  transition(transition: Transition): boolean;
  callProvider(
    accountId: AccountId,
    account: AccountHeaders,
    route: UpstreamRoute,
    traceHeaders: readonly string[] | undefined,
  ): void;
  /** An attempt has failed before the provider was called. */
  onFailed(failure: Failure): void;
  /** No attempt is left, or none is possible. */
  fail(error: ProxyError, usage?: TokenUsage, refusal?: CompletedRequest['refusal']): void;
}

interface FailedAttempt {
  readonly failure: Failure;
  readonly classification: Classification;
}

type NoAccount = Extract<Step, { kind: 'noAccount' }>;

const NO_ACCOUNTS: readonly AccountId[] = [];

/**
 * The attempts of one request in order: chooses an account or waits for one, refreshes its token where that is needed, has the
 * provider called, and chooses again after a failure while the client has received nothing.
 */
export class Attempts {
  readonly #attempted: Attempted;
  readonly #services: AttemptServices;
  /** As the log records them. */
  readonly ended: Attempt[] = [];
  open: OpenAttempt | undefined;
  /** The chosen account is not the one that the conversation is pinned to. */
  isFallback = false;
  #waitTimer: NodeJS.Timeout | undefined;
  #waitedMs = 0;
  /** The part of `#waitedMs` before the current attempt. */
  #waitedBefore = 0;
  #lastFailure: FailedAttempt | undefined;
  /** Accounts whose token was refreshed for this request: each gets one refresh. */
  #refreshed = NO_ACCOUNTS;

  constructor(attempted: Attempted, services: AttemptServices) {
    this.#attempted = attempted;
    this.#services = services;
  }

  /** The account of the current or else of the last attempt. */
  get accountId(): AccountId | null {
    return this.open?.accountId ?? this.ended.at(-1)?.accountId ?? null;
  }

  /** The request body can be sent again. */
  get #canRepeat(): boolean {
    const { upstreamBody } = this.#attempted.request;
    return !(upstreamBody instanceof StreamedBody) || upstreamBody.canRepeat;
  }

  /** Makes the next attempt, waits for it or fails the request. */
  choose(): void {
    const now = this.#services.now();
    const step = nextStep(this.#services.accounts, this.#attempted.request, this.#progress(), now);
    switch (step.kind) {
      case 'attempt':
        this.isFallback = step.isFallback;
        this.#attempt(step, now);
        return;
      case 'wait':
        this.#wait(step.ms);
        return;
      case 'spent':
        this.#failWithLastError();
        return;
      case 'noAccount':
        this.#failWithoutAccount(step, now);
    }
  }

  #progress() {
    return {
      attempts: this.ended,
      hasFailed: this.#lastFailure !== undefined,
      canRepeat: this.#canRepeat,
      waitedMs: this.#waitedMs,
      attemptingMs: performance.now() - this.#attempted.startedAt,
    };
  }

  #chooseAgain(): void {
    if (this.#attempted.transition('retry')) this.choose();
  }

  #wait(ms: number): void {
    if (!this.#attempted.transition('wait')) return;
    this.#waitedMs += ms;
    this.#waitTimer = setTimeout(() => this.#chooseAgain(), ms);
  }

  /** Called when the request ends. */
  stopWaiting(): void {
    clearTimeout(this.#waitTimer);
  }

  #attempt({ accountId, decision }: Pick<OpenAttempt, 'accountId' | 'decision'>, startedAt: Instant): void {
    const account = this.#services.provider.accessTokens.headersFor(accountId);
    const route = this.#services.provider.routeOf(accountId);
    const waitedMs = this.#waitedMs - this.#waitedBefore;
    this.#waitedBefore = this.#waitedMs;
    const authorization = account?.authorization ?? '';
    const region = account?.[RESIDENCY];
    const attempt = { accountId, decision, startedAt, authorization, proxy: route.proxy, region, waitedMs };
    if (account) this.#callProvider(attempt, account, route);
    else this.#refresh(attempt, 'expired', undefined);
  }

  #callProvider(attempt: OpenAttempt, account: AccountHeaders, route: UpstreamRoute): void {
    if (!this.#attempted.transition('call')) return;
    this.open = attempt;
    const traceHeaders = this.#attempted.request.trace?.onCall(this.ended.length, attempt.startedAt);
    this.#attempted.callProvider(attempt.accountId, account, route, traceHeaders);
  }

  /** Refreshes the account's token before the call. If that fails, the attempt fails. */
  #refresh(attempt: OpenAttempt, reason: 'expired' | 'unauthorized', usedAuthorization: string | undefined): void {
    if (!this.#attempted.transition('refresh')) return;
    this.open = attempt;
    const { accountId } = attempt;
    const { accessTokens, routeOf } = this.#services.provider;
    this.#refreshed = [...this.#refreshed, accountId];
    accessTokens.refresh(accountId, reason, usedAuthorization).then(
      (result) => {
        if (this.#attempted.state !== 'refreshing') return;
        const account = result === 'refreshed' || result === 'already' ? accessTokens.headersFor(accountId) : undefined;
        if (account) {
          const { authorization, [RESIDENCY]: region } = account;
          if (this.#isServedIn(region))
            this.#callProvider({ ...attempt, authorization, region }, account, routeOf(accountId));
          else this.#attempted.onFailed({ kind: 'otherRegion' });
        } else this.#attempted.onFailed(refreshFailure(result));
      },
      () => {
        if (this.#attempted.state === 'refreshing')
          this.#attempted.onFailed({ kind: 'refreshFailed', isPermanent: false });
      },
    );
  }

  /** Whether the API key allows a region, as the choice of the account has checked it for the tokens before. */
  #isServedIn(region: string | undefined): boolean {
    const { accounts } = this.#services;
    return isInRegion({ region }, regionsOf(accounts.hot, this.#attempted.request.key?.id ?? null));
  }

  /** Ends the open attempt, if there is one. */
  end(outcome: AttemptOutcome, now: Instant, details?: AttemptDetails): void {
    if (!this.open) return;
    const attempt = this.open;
    this.open = undefined;
    this.ended.push(endedAttempt(attempt, outcome, now, details));
  }

  /**
   * Makes the next attempt after one that has failed and ended, or fails the request when it is at fault itself. The account gets
   * its token refreshed first if that may help, else it is penalized.
   * @param attempt that failed
   */
  tryAgain(attempt: OpenAttempt | undefined, failure: Failure, classification: Classification, now: Instant): void {
    const mayRefresh = attempt && this.#canRepeat && !this.#refreshed.includes(attempt.accountId);
    if (classification.effect === 'refresh' && mayRefresh) {
      const decision = { ...attempt.decision, isRepeat: true } as const;
      this.#refresh({ ...attempt, decision, startedAt: now, waitedMs: 0 }, 'unauthorized', attempt.authorization);
      return;
    }
    penalizeAccount(this.#services.accounts, this.accountId, this.#attempted.request.requestId, classification, now);
    this.#lastFailure = { failure, classification };
    if (classification.owner === 'client' || classification.owner === 'service') this.#failWithLastError();
    else this.#chooseAgain();
  }

  #failWithLastError(refusal?: NoAccount['refusal']): void {
    const { failure, classification } = this.#lastFailure as FailedAttempt;
    const now = this.#services.now();
    const error = finalError(failure, classification, this.#availableAgainAt(now), now);
    this.#attempted.fail(error, undefined, refusal);
  }

  #availableAgainAt(now: Instant): Instant | null {
    return availableAgainAt(this.#services.accounts, this.#attempted.request, this.ended, now);
  }

  #failWithoutAccount({ reason, until, refusal }: NoAccount, now: Instant): void {
    if (this.#lastFailure && reason !== 'empty' && reason !== 'no_region') {
      this.#failWithLastError(refusal);
      return;
    }
    const againAt = this.#availableAgainAt(now);
    const error = noAccountError(this.#services.accounts, this.#attempted.request, { reason, until, againAt }, now);
    this.#attempted.fail(error, undefined, refusal);
  }
}
