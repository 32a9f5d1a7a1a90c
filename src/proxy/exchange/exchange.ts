import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { CompletedRequest } from '../../domain/request/events.ts';
import type { AdmittedRequest } from '../admission/admittedRequest.ts';
import type { ProxyError } from '../errors/proxyError.ts';
import type { Ending } from '../providerResponse/ending.ts';
import type { Failure, ProviderError } from '../providerResponse/failure.ts';
import type { Delivery } from '../relay/delivery.ts';
import { AttemptHistory } from './attemptHistory.ts';
import { type Classified, classify } from './classify.ts';
import { Completion } from './completion.ts';
import { type AttemptObserver, CurrentAttempt } from './currentAttempt.ts';
import { errorForClient, lastWord, refusalError } from './errorsForClient.ts';
import type { ExchangeServices } from './exchangeServices.ts';
import { nextStep } from './nextStep.ts';
import { penalizeAccount } from './penalizeAccount.ts';
import { type Patience, silenceOf } from './silence.ts';

const NOTHING: readonly Buffer[] = [];

interface FailedAttempt {
  readonly failure: Failure;
  readonly classified: Classified;
}

/**
 * One request from its first attempt to its settled end: choose an account, try, classify, again; after the first byte
 * to the client only relay. A state machine driven by callbacks, because a promise per chunk would cost more than the
 * relay itself.
 */
export class Exchange implements AttemptObserver {
  readonly request: AdmittedRequest;
  readonly #delivery: Delivery;
  readonly #services: ExchangeServices;
  readonly #trail = new AttemptHistory();
  readonly #current: CurrentAttempt;
  readonly #conclusion: Completion;
  #isRelaying = false;
  #waitedMs = 0;
  #waitTimer: NodeJS.Timeout | undefined;
  #lastFailure: FailedAttempt | undefined;
  /** Of `performance.now`: the clock of the machine may be put right while a request is open. */
  readonly begunAt: number = performance.now();
  #lastWriteAt: number = this.begunAt;
  /** Whether the log was told that this request is open. */
  isAnnounced = false;
  /** Its place among the open requests. */
  slot = -1;

  constructor(request: AdmittedRequest, delivery: Delivery, services: ExchangeServices) {
    this.request = request;
    this.#delivery = delivery;
    this.#services = services;
    this.#current = new CurrentAttempt(request, services, this.#trail, this);
    this.#conclusion = new Completion(request, this.#trail, delivery, services, (isDurable) => this.#close(isDurable));
  }

  get isOver(): boolean {
    return this.#conclusion.isReached;
  }

  get accountId(): AccountId | null {
    return this.#trail.accountId;
  }

  start(): void {
    this.#next();
  }

  /** Goes on reading from the provider once the client has caught up. */
  onDrain(): void {
    this.#current.call?.resume();
  }

  /** The client hung up: the provider is told at once, and no account is spent any further. */
  clientGone(): void {
    if (this.isOver) return;
    // Between two attempts nobody works on it: those before have failed without output.
    const usage = this.#current.call ? this.#conclusion.seenUsage() : undefined;
    this.#stop('client_gone');
    this.#conclusion.clientLeft(usage);
  }

  /** Ends the request because the service does. */
  abort(error: ProxyError): void {
    if (this.isOver) return;
    const usage = this.#delivery.hasBegun ? this.#conclusion.seenUsage() : undefined;
    this.#stop('aborted');
    this.#conclusion.failed(error, { usage });
  }

  /** Ends the request because it turned out wrong while it was sent on. */
  refuse(error: ProxyError): void {
    if (this.isOver) return;
    this.#stop('request_refused');
    this.#conclusion.failed(error);
  }

  #stop(outcome: string): void {
    clearTimeout(this.#waitTimer);
    this.#trail.end(outcome, this.#services.now());
    this.#current.call?.abort();
  }

  /**
   * Called about once a second: silence of the provider, and signs of life to the client.
   * @param now of `performance.now`
   */
  tick(now: number, patience: Patience): void {
    const { call } = this.#current;
    if (!call || this.isOver) return;
    const silence = silenceOf(call, this.#lastWriteAt, patience, now);
    if (silence === 'client') {
      this.#delivery.destroy();
    } else if (silence === 'provider') {
      call.abort();
      this.onFailed({ kind: 'idle' });
    } else if (silence === 'sign' && this.#isRelaying) {
      this.#lastWriteAt = now;
      this.#delivery.keepAlive();
    }
  }

  #next(): void {
    const now = this.#services.now();
    const tried = {
      ended: this.#trail.ended,
      hasFailed: this.#lastFailure !== undefined,
      canRepeat: this.#current.canRepeat,
      waitedMs: this.#waitedMs,
      attemptingMs: performance.now() - this.begunAt,
    };
    const step = nextStep(this.#services, this.request, tried, now);
    switch (step.kind) {
      case 'try':
        this.#conclusion.isFallback = step.isFallback;
        this.#current.begin(step.accountId, step.decision, now);
        return;
      case 'wait':
        this.#wait(step.ms);
        return;
      case 'spent':
        this.#giveUp();
        return;
      case 'refused':
        if (this.#lastFailure && step.reason !== 'empty') this.#giveUp(step);
        else this.#conclusion.failed(refusalError(this.#services, step.reason, step.until, now), step);
    }
  }

  #wait(ms: number): void {
    this.#waitedMs += ms;
    this.#waitTimer = setTimeout(() => this.#next(), ms);
  }

  onEvents(bytes: Buffer, ending: Ending | undefined): boolean {
    if (this.isOver || (ending?.error && this.#failedUnseen(ending.error))) return true;
    if (!this.#isRelaying) {
      this.#isRelaying = true;
      this.#conclusion.firstByteAt = this.#services.now();
    }
    const { upstreamHeaders } = this.#current;
    if (!ending) {
      const goesOn = this.#delivery.pass(bytes, upstreamHeaders);
      if (this.#delivery.hasBegun) this.#letBodyGo();
      return goesOn;
    }
    this.#conclusion.answered(bytes, ending, upstreamHeaders);
    return true;
  }

  /** A failure that no client has seen a byte of: another account may do better, unless the request is to blame. */
  #failedUnseen(error: ProviderError): boolean {
    if (this.#delivery.hasBegun) return false;
    const failure: Failure = { kind: 'failedFirst', error };
    if (classify(failure, this.#services.now()).owner === 'client' && this.#delivery.wantsEvents) return false;
    this.#current.call?.abort();
    this.onFailed(failure);
    return true;
  }

  onFailed(failure: Failure): void {
    if (this.isOver) return;
    const now = this.#services.now();
    const classified = classify(failure, now);
    const attempt = this.#trail.open;
    this.#trail.end(classified.outcome, now, classified);
    if (this.#delivery.hasBegun) {
      penalizeAccount(this.#services, this.accountId, classified, now);
      this.#conclusion.failed(errorForClient(failure, classified, now), { usage: this.#conclusion.seenUsage() });
      return;
    }
    this.#isRelaying = false;
    this.#current.call = undefined;
    this.#conclusion.firstByteAt = undefined;
    this.#delivery.reset();
    if (classified.effect === 'refresh' && attempt && this.#current.mayRefresh(attempt.accountId)) {
      this.#current.repeat(attempt, now);
      return;
    }
    penalizeAccount(this.#services, this.accountId, classified, now);
    this.#lastFailure = { failure, classified };
    if (classified.owner === 'client') this.#giveUp();
    else this.#next();
  }

  /** A client that has seen the beginning of an answer gets no other: what it sent is not needed again. */
  #letBodyGo(): void {
    if (this.request.upstreamBody === NOTHING) return;
    this.request.upstreamBody = NOTHING;
    this.request.share.releaseBody();
  }

  #giveUp({ until = null, refusal }: { until?: Instant | null; refusal?: CompletedRequest['refusal'] } = {}): void {
    const { failure, classified } = this.#lastFailure as FailedAttempt;
    this.#conclusion.failed(lastWord(failure, classified, until, this.#services.now()), { refusal });
  }

  #close(isDurable: boolean): void {
    const { call } = this.#current;
    // A connection whose answer was read to its end can serve the next request; one that lingers is cut.
    if (isDurable) call?.abandonUnlessEnded();
    else call?.abort();
    this.request.upstreamBody = NOTHING;
    this.request.share.close();
    this.#services.onDone(this);
  }
}
