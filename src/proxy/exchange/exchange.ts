import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { AttemptOutcome } from '../../domain/request/attemptOutcomes.ts';
import type { CompletedRequest, TokenUsage } from '../../domain/request/events.ts';
import type { HeaderLookup } from '../../http/wire/headers.ts';
import type { AccountHeaders } from '../../provider/client/outboundHeaders.ts';
import type { StreamStop } from '../admission/streamStop.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import type { Ending } from '../providerResponse/ending.ts';
import { errnoOf, type Failure, type ProviderError } from '../providerResponse/failure.ts';
import type { Delivery } from '../relay/delivery.ts';
import type { Outcome, Settlement } from '../settlement/settlement.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import { type Attempted, type AttemptServices, Attempts } from './attempts.ts';
import type { Call, CallListener } from './call.ts';
import { type Classification, classify } from './classify.ts';
import { errorForClient } from './errorsForClient.ts';
import { isOver, nextState, type State, type Transition } from './exchangeState.ts';
import { type IdleLimits, idleAction } from './idleAction.ts';
import {
  errorOfEnding,
  outcomeOfCompletion,
  outcomeOfDisconnect,
  outcomeOfError,
  outcomeOfProviderFailure,
} from './outcomes.ts';
import { penalizeAccount } from './penalizeAccount.ts';
import { relayedOutputTokens, relayedUsage } from './relayedUsage.ts';
import { type Settled, type SettleServices, settleThenRespond } from './settleThenRespond.ts';
import { UpstreamCall } from './upstreamCall.ts';
import { withoutRequestText } from './withoutRequestText.ts';

/** What all exchanges share. */
export interface ExchangeServices extends AttemptServices, SettleServices {
  /** Stores the items of a response for clients that refer to them by id. */
  readonly rememberOutput: (request: AdmittedRequest, output: readonly unknown[]) => void;
  readonly onEnded: (exchange: Exchange) => void;
  /** Called once for each request, when its response has ended. @param status of the response as text, or `error` */
  readonly onCompleted?: ((settlement: Settlement, status: string) => void) | undefined;
}

const NO_BODY: readonly Buffer[] = [];
const NO_CLASSIFICATION: Pick<Classification, 'code' | 'limitedUntil'> = { code: undefined };

/**
 * One admitted request until its outcome is in the log: it makes attempts (`attempts.ts`) until the client has received a first
 * byte, relays and settles. A state machine (`exchangeState.ts`) driven by callbacks, because a promise per chunk would cost more
 * than the relay itself.
 *
 * A request ends once, by the transition `settle`, in one of five ways: `#complete` (the provider ended its response),
 * `fail` (no attempt is left, or none is possible after the first byte), `onClientDisconnect`, `abort` (the service shuts
 * down) and `refuse` (its body turns out invalid while it is sent).
 */
export class Exchange implements CallListener, Attempted, Settled {
  readonly request: AdmittedRequest;
  readonly #delivery: Delivery;
  readonly #services: ExchangeServices;
  /** Set when a limit stops the stream. */
  readonly #stop: StreamStop | undefined;
  #state: State = 'choosing';
  readonly #attempts: Attempts;
  /** Set while calling and relaying, and until the request has ended. */
  #call: Call | undefined;
  /** What the provider said when it failed the current or the last attempt. */
  #said: ProviderError | undefined;
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
    this.#attempts = new Attempts(this, services);
  }

  get state(): State {
    return this.#state;
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
  transition(transition: Transition): boolean {
    const next = nextState(this.#state, transition);
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }

  start(): void {
    this.#attempts.choose();
  }

  // Attempts

  /** Calls the provider for the attempt that is open. @param traceHeaders alternating names and values */
  callProvider(
    accountId: AccountId,
    account: AccountHeaders,
    route: UpstreamRoute,
    traceHeaders: readonly string[] | undefined,
  ): void {
    this.#said = undefined;
    const { newCall } = this.request;
    this.#call = newCall ? newCall(this, accountId) : new UpstreamCall(this, this.request);
    this.#call.start(route, this.#services.provider, account, traceHeaders);
  }

  onFailed(failure: Failure): void {
    if (this.isOver) return;
    this.#said = 'error' in failure ? failure.error : undefined;
    const now = this.#services.now();
    const classification = classify(failure, now);
    const attempt = this.#attempts.open;
    this.#endAttempt(classification.outcome, now, classification, errnoOf(failure));
    if (this.#delivery.hasBegun) {
      penalizeAccount(this.#services.accounts, this.accountId, this.request.requestId, classification, now);
      this.fail(errorForClient(failure, classification, now), this.#estimateUsage());
      return;
    }
    this.#call = undefined;
    this.#firstByteAt = undefined;
    this.#delivery.reset();
    this.#stop?.reset();
    this.#attempts.tryAgain(attempt, failure, classification, now);
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
      this.transition('firstEvent');
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
  fail(error: ProxyError, usage?: TokenUsage, refusal?: CompletedRequest['refusal']): void {
    const outcome = outcomeOfError(error, this.#delivery.hasBegun, usage, refusal);
    this.#settle(outcome, () => this.#delivery.fail(error));
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
    this.fail(error, this.#delivery.hasBegun ? this.#estimateUsage() : undefined);
  }

  /** Ends the request with this error. Called when its body turns out invalid while it is sent to the provider. */
  refuse(error: ProxyError): void {
    if (this.isOver) return;
    this.#cancelAttempt('request_refused');
    this.fail(error);
  }

  /** Ends a stream that has run past a limit of its key; counts what was relayed. */
  #stopAtLimit(error: ProxyError): void {
    this.#cancelAttempt('limit_reached');
    this.fail(error, this.#estimateUsage());
  }

  #cancelAttempt(outcome: AttemptOutcome): void {
    this.#said = undefined;
    this.#attempts.stopWaiting();
    this.#endAttempt(outcome, this.#services.now());
    this.#call?.abort();
  }

  #estimateUsage(undelivered?: Buffer): TokenUsage {
    return relayedUsage(this.request, this.#delivery, this.#stop, undelivered);
  }

  #settle(outcome: Outcome, respond: () => void): void {
    if (!this.transition('settle')) return;
    const settlement: Settlement = {
      request: this.request,
      outcome: withoutRequestText(outcome, this.#said, this.request),
      attempts: this.#attempts.ended,
      isFallback: this.#attempts.isFallback,
      firstByteAt: this.#firstByteAt,
      announcements: this.announcements,
    };
    settleThenRespond(this, settlement, this.#delivery, this.#services, respond);
  }

  /** Called once the client has its response, or cannot get one. @param isDurable whether the outcome is in the log */
  onSettled(isDurable: boolean, settlement: Settlement, status: string): void {
    if (!this.transition('settled')) return;
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
