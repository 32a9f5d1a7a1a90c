import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { HeaderLookup } from '../../http/wire/headerLookup.ts';
import type { AdmittedRequest } from '../admission/admittedRequest.ts';
import type { Ending } from '../providerResponse/ending.ts';
import type { Failure } from '../providerResponse/failure.ts';
import { servedTierIn } from '../providerResponse/serviceTier.ts';
import type { SseEvent } from '../providerResponse/sse.ts';
import type { Scanned } from '../providerResponse/sseScanner.ts';
import type { AttemptHistory } from './attemptHistory.ts';
import type { Decision } from './choose.ts';
import type { ExchangeServices } from './exchangeServices.ts';
import { StreamedBody } from './streamedBody.ts';
import { type CallObserver, UpstreamCall } from './upstreamCall.ts';

const NONE: readonly never[] = [];
const NO_HEADERS: HeaderLookup = new Map();

/** Told what an attempt brings. */
export interface AttemptObserver {
  /**
   * Whole events of the answer, from the first one that says something; `ending` when one of them ends it.
   * @returns false to make the provider wait
   */
  onEvents(bytes: Buffer, ending: Ending | undefined): boolean;
  onFailed(failure: Failure): void;
}

/** The attempt of a request that is under way: valid tokens, the call, and what is kept back until its first event. */
export class CurrentAttempt implements CallObserver {
  readonly #request: AdmittedRequest;
  readonly #services: ExchangeServices;
  readonly #trail: AttemptHistory;
  readonly #observer: AttemptObserver;
  #refreshed: readonly AccountId[] = NONE;
  call: UpstreamCall | undefined;
  upstreamHeaders: HeaderLookup = NO_HEADERS;
  #isAnswering = false;
  /** Comments before the first event; they belong to the answer, but do not begin it. */
  #prelude: Buffer[] = [];

  constructor(request: AdmittedRequest, services: ExchangeServices, trail: AttemptHistory, observer: AttemptObserver) {
    this.#request = request;
    this.#services = services;
    this.#trail = trail;
    this.#observer = observer;
  }

  begin(accountId: AccountId, decision: Decision, now: Instant): void {
    const account = this.#services.tokens.headersFor(accountId);
    if (!account) {
      this.#trail.open = { accountId, decision, startedAt: now, authorization: '' };
      this.#refreshThenBegin(accountId, 'expired', undefined);
      return;
    }
    this.#trail.open = { accountId, decision, startedAt: now, authorization: account.authorization };
    const { answer, clientHeaders, contentType, requestId, upstreamPath, upstreamBody } = this.#request;
    const call = new UpstreamCall(this, answer);
    this.call = call;
    this.#isAnswering = false;
    this.#prelude = [];
    const content = { accept: answer.accept, contentType };
    const { shared, own } = this.#services.upstreamHeaders(clientHeaders, account, requestId, content);
    call.start(this.#services.upstream, {
      path: upstreamPath,
      shared,
      headers: own,
      body: upstreamBody instanceof StreamedBody ? upstreamBody.open(() => call.touch()) : upstreamBody,
    });
  }

  /** The request can be sent once more. */
  get canRepeat(): boolean {
    const { upstreamBody } = this.#request;
    return !(upstreamBody instanceof StreamedBody) || upstreamBody.canRepeat;
  }

  /** Whether new tokens may help an account that refused the ones it got: each account gets them once in a request. */
  mayRefresh(accountId: AccountId): boolean {
    return this.canRepeat && !this.#refreshed.includes(accountId);
  }

  /** Asks the account of the ended attempt once more, with new tokens. */
  repeat({ accountId, decision, authorization }: NonNullable<AttemptHistory['open']>, now: Instant): void {
    this.#trail.open = { accountId, decision: { ...decision, isRepeat: true }, startedAt: now, authorization };
    this.#refreshThenBegin(accountId, 'unauthorized', authorization);
  }

  /** Makes the tokens valid first; what fails then counts as a failure of the account. */
  #refreshThenBegin(accountId: AccountId, reason: 'expired' | 'unauthorized', used: string | undefined): void {
    this.#refreshed = [...this.#refreshed, accountId];
    const attempt = this.#trail.open;
    this.#services.tokens.refresh(accountId, reason, used).then(
      (result) => {
        // Meanwhile the request may have ended, and its attempt with it.
        if (!attempt || this.#trail.open !== attempt) return;
        const isValid = result === 'refreshed' || result === 'already';
        if (isValid && this.#services.tokens.headersFor(accountId)) {
          this.begin(accountId, attempt.decision, attempt.startedAt);
        } else {
          this.#observer.onFailed({ kind: 'tokens', isPermanent: result === 'permanent' });
        }
      },
      () => {
        if (this.#trail.open === attempt) this.#observer.onFailed({ kind: 'tokens', isPermanent: false });
      },
    );
  }

  onHeaders(headers: HeaderLookup): void {
    const accountId = this.#trail.open?.accountId;
    if (accountId !== undefined) this.#services.learnUsage?.(accountId, headers);
  }

  onOpened(headers: HeaderLookup): void {
    this.upstreamHeaders = headers;
  }

  onScanned({ bytes, begins, terminal }: Scanned): boolean {
    if (!this.#isAnswering && !begins) {
      this.#prelude.push(bytes);
      return true;
    }
    this.#isAnswering = true;
    const ending = terminal && this.#endingOf(terminal);
    if (this.#prelude.length === 0) return this.#observer.onEvents(bytes, ending);
    const whole = Buffer.concat([...this.#prelude, bytes]);
    this.#prelude = [];
    return this.#observer.onEvents(whole, ending);
  }

  #endingOf(terminal: SseEvent): Ending {
    const { answer, serviceTier } = this.#request;
    const ending = answer.readEnding(terminal);
    return serviceTier === null ? ending : { ...ending, serviceTier: servedTierIn(terminal.data) };
  }

  onFailed(failure: Failure): void {
    this.#observer.onFailed(failure);
  }

  onEnded(): void {
    this.onFailed({ kind: 'cut', message: 'the stream ended without an event that ends the answer' });
  }
}
