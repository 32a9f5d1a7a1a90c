import { regionsOf } from '../../domain/apiKey/regionsOf.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { AttemptOutcome } from '../../domain/request/attemptOutcomes.ts';
import type { TokenUsage } from '../../domain/request/events.ts';
import { isInRegion } from '../../domain/routing/select.ts';
import type { HeaderLookup } from '../../http/wire/headers.ts';
import { type AccountHeaders, RESIDENCY } from '../../provider/client/outboundHeaders.ts';
import type { StreamStop } from '../admission/streamStop.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { Ending } from '../providerResponse/ending.ts';
import type { Failure, ProviderError } from '../providerResponse/failure.ts';
import type { Delivery } from '../relay/delivery.ts';
import type { Outcome, Settle, Settlement } from '../settlement/settlement.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import { AttemptHistory, type OpenAttempt } from './attemptHistory.ts';
import { availableAgainAt } from './availableAgain.ts';
import type { Call, CallListener } from './call.ts';
import { type Classification, classify } from './classify.ts';
import { errorForClient, finalError, noAccountError } from './errorsForClient.ts';
import { isOver, nextState, type State, type Transition } from './exchangeState.ts';
import { type IdleLimits, idleAction } from './idleAction.ts';
import { nextStep, type Step } from './nextStep.ts';
import {
  errorOfEnding,
  outcomeOfCompletion,
  outcomeOfDisconnect,
  outcomeOfError,
  outcomeOfProviderFailure,
} from './outcomes.ts';
import { penalizeAccount } from './penalizeAccount.ts';
import type { Accounts, Provider } from './ports.ts';
import { refreshFailure } from './refreshFailure.ts';
import { relayedOutputTokens, relayedUsage } from './relayedUsage.ts';
import { StreamedBody } from './streamedBody.ts';
import { UpstreamCall } from './upstreamCall.ts';
import { withoutRequestText } from './withoutRequestText.ts';

/** What all exchanges share. */
export interface ExchangeServices {
  readonly accounts: Accounts;
  readonly provider: Provider;
  readonly settle: Settle;
  /** Stores the items of a response for clients that refer to them by id. */
  readonly rememberOutput: (request: AdmittedRequest, output: readonly unknown[]) => void;
  readonly onEnded: (exchange: Exchange) => void;
  /** Called once for each request, when its response has ended. @param status of the response as text, or `error` */
  readonly onCompleted?: ((settlement: Settlement, status: string) => void) | undefined;
  /** Called with unexpected exceptions: bugs in svc. */
  readonly report: (error: Error, about?: { readonly request: string }) => void;
  readonly now: () => Instant;
}

interface FailedAttempt {
  readonly failure: Failure;
  readonly classification: Classification;
}

const NO_BODY: readonly Buffer[] = [];
const NO_ACCOUNTS: readonly AccountId[] = [];
const NO_CLASSIFICATION: Pick<Classification, 'code' | 'limitedUntil'> = { code: undefined };

/**
 * One admitted request until its outcome is in the log: choose an account, call the provider, classify the failure, try
 * again; after the first byte to the client only relay. A state machine (`exchangeState.ts`) driven by callbacks, because a
 * promise per chunk would cost more than the relay itself.
 *
 * A request ends once, by the transition `settle`, in one of five ways: `#complete` (the provider ended its response),
 * `#fail` (no attempt is left, or none is possible after the first byte), `onClientDisconnect`, `abort` (the service shuts
 * down) and `refuse` (its body turns out invalid while it is sent).
 */
export class Exchange implements CallListener {
  readonly request: AdmittedRequest;
  readonly #delivery: Delivery;
  readonly #services: ExchangeServices;
  /** Set when a limit stops the stream. */
  readonly #stop: StreamStop | undefined;
  #state: State = 'choosing';
  readonly #attempts = new AttemptHistory();
  /** Set while calling and relaying, and until the request has ended. */
  #call: Call | undefined;
  #waitTimer: NodeJS.Timeout | undefined;
  #waitedMs = 0;
  /** The part of `#waitedMs` before the current attempt. */
  #waitedBefore = 0;
  #lastFailure: FailedAttempt | undefined;
  /** What the provider said when it failed the current or the last attempt. */
  #said: ProviderError | undefined;
  /** Accounts whose token was refreshed for this request: each gets one refresh. */
  #refreshed = NO_ACCOUNTS;
  /** The chosen account is not the one that the conversation is pinned to. */
  #isFallback = false;
  #firstByteAt: Instant | undefined;
  /** By `performance.now()`: the clock of the machine may be set while a request is open. */
  readonly startedAt: number = performance.now();
  #lastKeepAliveAt: number = this.startedAt;
  /** How often `OpenRequests` has written `RequestAdmitted` for this request. */
  announcements = 0;
  /** Set by the `SlotSet` of open requests. */
  slot = -1;

  constructor(request: AdmittedRequest, delivery: Delivery, services: ExchangeServices) {
    this.request = request;
    this.#delivery = delivery;
    this.#services = services;
    this.#stop = request.meter?.stop;
  }

  /** The outcome is fixed. */
  get isOver(): boolean {
    return isOver(this.#state);
  }

  /** Events of the provider are going to the client. */
  get isStreaming(): boolean {
    return this.#state === 'relaying';
  }

  /** The account of the current or else of the last attempt. */
  get accountId(): AccountId | null {
    return this.#attempts.accountId;
  }

  /** @returns false when the transition is not possible any more, so that the caller must ignore its cause */
  #transition(transition: Transition): boolean {
    const next = nextState(this.#state, transition);
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }

  // Attempts

  start(): void {
    this.#choose();
  }

  #choose(): void {
    const now = this.#services.now();
    const step = nextStep(this.#services.accounts, this.request, this.#progress(), now);
    switch (step.kind) {
      case 'attempt':
        this.#isFallback = step.isFallback;
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
      attempts: this.#attempts.ended,
      hasFailed: this.#lastFailure !== undefined,
      canRepeat: this.#canRepeat,
      waitedMs: this.#waitedMs,
      attemptingMs: performance.now() - this.startedAt,
    };
  }

  get #canRepeat(): boolean {
    const { upstreamBody } = this.request;
    return !(upstreamBody instanceof StreamedBody) || upstreamBody.canRepeat;
  }

  #chooseAgain(): void {
    if (this.#transition('retry')) this.#choose();
  }

  #wait(ms: number): void {
    if (!this.#transition('wait')) return;
    this.#waitedMs += ms;
    this.#waitTimer = setTimeout(() => this.#chooseAgain(), ms);
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
    if (!this.#transition('call')) return;
    this.#said = undefined;
    this.#attempts.open = attempt;
    const headers = this.request.trace?.onCall(this.#attempts.ended.length, attempt.startedAt);
    const { newCall } = this.request;
    this.#call = newCall ? newCall(this, attempt.accountId) : new UpstreamCall(this, this.request);
    this.#call.start(route, this.#services.provider, account, headers);
  }

  /** Refreshes the account's token before the call. If that fails, the attempt fails. */
  #refresh(attempt: OpenAttempt, reason: 'expired' | 'unauthorized', usedAuthorization: string | undefined): void {
    if (!this.#transition('refresh')) return;
    this.#attempts.open = attempt;
    const { accountId } = attempt;
    const { accessTokens, routeOf } = this.#services.provider;
    this.#refreshed = [...this.#refreshed, accountId];
    accessTokens.refresh(accountId, reason, usedAuthorization).then(
      (result) => {
        if (this.#state !== 'refreshing') return;
        const account = result === 'refreshed' || result === 'already' ? accessTokens.headersFor(accountId) : undefined;
        if (account) {
          const { authorization, [RESIDENCY]: region } = account;
          if (this.#isServedIn(region))
            this.#callProvider({ ...attempt, authorization, region }, account, routeOf(accountId));
          else this.onFailed({ kind: 'otherRegion' });
        } else this.onFailed(refreshFailure(result));
      },
      () => {
        if (this.#state === 'refreshing') this.onFailed({ kind: 'refreshFailed', isPermanent: false });
      },
    );
  }

  /** Whether the API key allows a region, as the choice of the account has checked it for the tokens before. */
  #isServedIn(region: string | undefined): boolean {
    const { accounts } = this.#services;
    return isInRegion({ region }, regionsOf(accounts.hot, this.request.key?.id ?? null));
  }

  onFailed(failure: Failure): void {
    if (this.isOver) return;
    this.#said = 'error' in failure ? failure.error : undefined;
    const now = this.#services.now();
    const classification = classify(failure, now);
    const attempt = this.#attempts.open;
    this.#endAttempt(classification.outcome, now, classification, errnoIn(failure));
    if (this.#delivery.hasBegun) {
      penalizeAccount(this.#services.accounts, this.accountId, this.request.requestId, classification, now);
      this.#fail(errorForClient(failure, classification, now), this.#estimateUsage());
      return;
    }
    this.#call = undefined;
    this.#firstByteAt = undefined;
    this.#delivery.reset();
    this.#stop?.reset();
    const mayRefresh = attempt && this.#canRepeat && !this.#refreshed.includes(attempt.accountId);
    if (classification.effect === 'refresh' && mayRefresh) {
      const decision = { ...attempt.decision, isRepeat: true } as const;
      this.#refresh({ ...attempt, decision, startedAt: now, waitedMs: 0 }, 'unauthorized', attempt.authorization);
      return;
    }
    penalizeAccount(this.#services.accounts, this.accountId, this.request.requestId, classification, now);
    this.#lastFailure = { failure, classification };
    if (classification.owner === 'client' || classification.owner === 'service') this.#failWithLastError();
    else this.#chooseAgain();
  }

  /** Ends an attempt that did not succeed, with the status of the provider's response if there was one. */
  #endAttempt(outcome: AttemptOutcome, now: Instant, classification = NO_CLASSIFICATION, errno?: string): void {
    const { code, limitedUntil } = classification;
    this.#attempts.end(outcome, now, { code, limitedUntil, providerStatus: this.#call?.status, errno });
  }

  /** Ends an attempt whose response ends with an error that the client receives. */
  #endByEvent(error: ProviderError, now: Instant): void {
    const { owner, code } = classify({ kind: 'failureEvent', error }, now);
    this.#endAttempt(owner === 'client' ? 'request_refused' : 'failed_event', now, { code });
  }

  // Responses

  onHeaders(headers: HeaderLookup): void {
    const accountId = this.#attempts.open?.accountId;
    if (accountId !== undefined) this.#services.provider.learnUsage?.(accountId, headers);
  }

  onEvents(bytes: Buffer, ending: Ending | undefined): boolean {
    const call = this.#call;
    if (!call || this.isOver || (ending?.error && this.#retryUnseen(ending.error))) return true;
    let now: Instant | undefined;
    if (this.#state !== 'relaying') {
      this.#transition('firstEvent');
      now = this.#services.now();
      this.#firstByteAt = now;
    }
    if (ending) {
      this.#complete(bytes, ending, call.headers, now ?? this.#services.now());
      return true;
    }
    if (this.#stop !== undefined) {
      const fitting = this.#stop.relay(bytes);
      if (this.#stop.error) {
        this.#delivery.pass(bytes.subarray(0, fitting), call.headers);
        this.#stopAtLimit(this.#stop.error);
        return true;
      }
    }
    const isDrained = this.#delivery.pass(bytes, call.headers);
    if (this.#delivery.hasBegun) this.#releaseBody();
    return isDrained;
  }

  /**
   * Treats a failure event as a failed attempt if the client has received nothing: another account may succeed, unless
   * the request itself is at fault. @returns whether it did
   */
  #retryUnseen(error: ProviderError): boolean {
    if (this.#delivery.hasBegun) return false;
    const failure: Failure = { kind: 'failureEvent', error };
    if (classify(failure, this.#services.now()).owner === 'client' && this.#delivery.wantsEvents) return false;
    this.#call?.abort();
    this.onFailed(failure);
    return true;
  }

  /** Once the client has received a part of a response, no other attempt follows, so nothing needs the request body. */
  #releaseBody(): void {
    if (this.request.upstreamBody === NO_BODY) return;
    this.request.upstreamBody = NO_BODY;
    this.request.share.releaseBody();
  }

  /** Called when the client has caught up: resumes the provider. */
  onDrain(): void {
    this.#call?.resume();
  }

  /** Called several times a second: watches limits, and silence on both sides. @param now by `performance.now()` */
  tick(now: number, limits: IdleLimits): void {
    const call = this.#call;
    if (!call || this.isOver) return;
    this.request.meter?.use(this.request.inputTokens, relayedOutputTokens(this.request, this.#delivery, this.#stop));
    // Others may use up the limit while this stream is silent.
    if (this.#stop !== undefined && this.#delivery.hasBegun) {
      this.#stop.check();
      if (this.#stop.error) {
        this.#stopAtLimit(this.#stop.error);
        return;
      }
    }
    const action = idleAction(call, this.#lastKeepAliveAt, limits, now);
    if (action === 'dropClient') {
      this.#delivery.destroy();
    } else if (action === 'failProvider') {
      call.abort();
      this.onFailed({ kind: 'idle' });
    } else if (action === 'keepAlive' && (this.#state === 'relaying' || this.#delivery.keepsAliveEarly)) {
      this.#lastKeepAliveAt = now;
      this.#delivery.keepAlive();
    }
  }

  // Ends

  /** The provider ended its response, with or without an error. @param bytes its last events with the terminal event */
  #complete(bytes: Buffer, ending: Ending, headers: HeaderLookup, now: Instant): void {
    const { kind, error, output } = ending;
    const { cooldowns } = this.#services.accounts;
    if (error) this.#endByEvent(error, now);
    else this.#attempts.end('ok', now);
    const usage = ending.usage ?? (error && !this.#delivery.hasBegun ? undefined : this.#estimateUsage(bytes));
    if (!error) {
      const attempt = this.#attempts.ended.at(-1);
      if (attempt) cooldowns.succeeded(attempt.accountId, this.request.requestId, attempt.startedAt);
      if (output) this.#services.rememberOutput(this.request, output);
      this.#settle(outcomeOfCompletion(usage, ending), () => this.#delivery.finish(bytes, headers));
      return;
    }
    this.#said = error;
    this.#settle(outcomeOfProviderFailure(usage, ending, error), () => {
      if (kind !== 'error') {
        this.#delivery.finish(bytes, headers);
        return;
      }
      // An `error` event is followed by the ending that every client knows (docs/clients.md#codex-ignores-error-events).
      this.#delivery.pass(bytes, headers);
      this.#delivery.fail(errorOfEnding(error));
    });
  }

  /** The client gets an error: as a status, or inside its stream if that has begun. */
  #fail(error: ProxyError, usage?: TokenUsage, refusal?: NoAccount['refusal']): void {
    const outcome = outcomeOfError(error, this.#delivery.hasBegun, usage, refusal);
    this.#settle(outcome, () => this.#delivery.fail(error));
  }

  #failWithLastError(refusal?: NoAccount['refusal']): void {
    const { failure, classification } = this.#lastFailure as FailedAttempt;
    const now = this.#services.now();
    this.#fail(finalError(failure, classification, this.#availableAgainAt(now), now), undefined, refusal);
  }

  #availableAgainAt(now: Instant): Instant | null {
    return availableAgainAt(this.#services.accounts, this.request, this.#attempts.ended, now);
  }

  #failWithoutAccount({ reason, until, refusal }: NoAccount, now: Instant): void {
    if (this.#lastFailure && reason !== 'empty' && reason !== 'no_region') {
      this.#failWithLastError(refusal);
      return;
    }
    const againAt = this.#availableAgainAt(now);
    const error = noAccountError(this.#services.accounts, this.request, { reason, until, againAt }, now);
    this.#fail(error, undefined, refusal);
  }

  /** Closes the connection to the provider at once, so that the request uses no more of the account. */
  onClientDisconnect(): void {
    if (this.isOver) return;
    // Between two attempts there is no call, and the attempts before have failed without output.
    const usage = this.#call && this.#estimateUsage();
    this.#cancelAttempt('client_gone');
    this.#settle(outcomeOfDisconnect(usage), () => undefined);
  }

  /** Ends the request with this error. Called when svc shuts down. */
  abort(error: ProxyError): void {
    if (this.isOver) return;
    this.#cancelAttempt('aborted');
    this.#fail(error, this.#delivery.hasBegun ? this.#estimateUsage() : undefined);
  }

  /** Ends the request with this error. Called when its body turns out invalid while it is sent to the provider. */
  refuse(error: ProxyError): void {
    if (this.isOver) return;
    this.#cancelAttempt('request_refused');
    this.#fail(error);
  }

  /** Ends a stream that has run past a limit of its key; counts what was relayed. */
  #stopAtLimit(error: ProxyError): void {
    this.#cancelAttempt('limit_reached');
    this.#fail(error, this.#estimateUsage());
  }

  #cancelAttempt(outcome: AttemptOutcome): void {
    this.#said = undefined;
    clearTimeout(this.#waitTimer);
    this.#endAttempt(outcome, this.#services.now());
    this.#call?.abort();
  }

  #estimateUsage(undelivered?: Buffer): TokenUsage {
    return relayedUsage(this.request, this.#delivery, this.#stop, undelivered);
  }

  /**
   * Responds only after the outcome is in the log
   * (docs/decisions/0002-promises.md#nothing-answered-is-missing).
   */
  #settle(outcome: Outcome, respond: () => void): void {
    if (!this.#transition('settle')) return;
    const settlement: Settlement = {
      request: this.request,
      outcome: withoutRequestText(outcome, this.#said, this.request),
      attempts: this.#attempts.ended,
      isFallback: this.#isFallback,
      firstByteAt: this.#firstByteAt,
      announcements: this.announcements,
    };
    this.#services
      .settle(settlement)
      .then(
        () => {
          respond();
          this.#end(true, settlement, outcome.status);
        },
        () => {
          const error = new ProxyError('log_unavailable');
          const status = this.#delivery.hasBegun ? 'error' : String(error.status);
          this.#delivery.fail(error);
          this.#end(false, settlement, status);
        },
      )
      .catch((error: Error) => {
        // A bug in svc must break only this client's connection.
        this.#services.report(error, { request: this.request.requestId });
        this.#delivery.destroy();
        this.#end(false, settlement, 'error');
      });
  }

  #end(isDurable: boolean, settlement: Settlement, status: string): void {
    if (!this.#transition('settled')) return;
    this.#services.onCompleted?.(settlement, status);
    this.request.trace?.onCompleted(settlement, status);
    // `finish` reads the response to its end, so that the connection can serve the next request.
    if (isDurable) this.#call?.finish();
    else this.#call?.abort();
    this.request.upstreamBody = NO_BODY;
    this.request.share.close();
    this.#services.onEnded(this);
  }
}

type NoAccount = Extract<Step, { kind: 'noAccount' }>;

/** The error of the system behind a failure; a timeout of svc is one, too. */
function errnoIn(failure: Failure): string | undefined {
  if (failure.kind === 'idle') return 'ETIMEDOUT';
  return 'errno' in failure ? failure.errno : undefined;
}
