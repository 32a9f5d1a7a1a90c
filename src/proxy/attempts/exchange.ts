import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { AccountId, Instant } from '../../domain/brands.ts';
import type { Admission, CompletedRequest } from '../../domain/request/events.ts';
import type { Selection } from '../../domain/routing/select.ts';
import { usageFromWhatWasSeen } from '../admission/estimate.ts';
import { ProxyError } from '../proxyError.ts';
import type { Delivery } from '../relay/delivery.ts';
import type { Scanned } from '../relay/sseScanner.ts';
import { type Ending, readEnding } from '../settlement/ending.ts';
import type { Outcome } from '../settlement/settlement.ts';
import { AttemptTrail } from './attemptTrail.ts';
import { choose, type Decision } from './choose.ts';
import { type Classified, classify } from './classify.ts';
import type { ExchangeServices } from './engine.ts';
import { errorForClient, limitReached, refusalError } from './errorsForClient.ts';
import type { Failure, ProviderError } from './failure.ts';
import { type CallObserver, UpstreamCall } from './upstreamCall.ts';

/** A request that was admitted, with everything that its attempts need. */
export interface AdmittedRequest {
  readonly requestId: string;
  readonly key: ApiKey | null;
  readonly route: string;
  readonly model: string;
  readonly effort: string | null;
  readonly requestedAt: Instant;
  readonly admission: Admission | undefined;
  /** Digest of the conversation's key; undefined when threads do not stick. */
  readonly pin: string | undefined;
  readonly bodyBytes: number;
  readonly upstreamPath: string;
  readonly upstreamBody: Buffer;
  readonly dropsVendorEvents: boolean;
  readonly clientHeaders: readonly string[];
}

const MAX_ATTEMPTS = 5;
const MAX_ATTEMPTING_MS = 60_000;
/** A request that finds every account cooling waits so long in all (design.md section 5). */
const MAX_WAITING_MS = 5_000;

type Phase = 'attempting' | 'waiting' | 'relaying' | 'settling' | 'done';

/**
 * One request from its first attempt to its settled end: choose an account, try, classify, again; after the first byte
 * to the client only relay. A state machine driven by callbacks, because a promise per chunk would cost more than the
 * relay itself.
 */
export class Exchange implements CallObserver {
  readonly request: AdmittedRequest;
  readonly #delivery: Delivery;
  readonly #services: ExchangeServices;
  readonly #trail = new AttemptTrail();
  readonly #refreshed = new Set<AccountId>();
  #phase: Phase = 'attempting';
  #call: UpstreamCall | undefined;
  #upstreamHeaders: IncomingHttpHeaders = {};
  /** Comments before the first event; they belong to the answer, but do not begin it. */
  #prelude: Buffer[] = [];
  #isFallback = false;
  #waitedMs = 0;
  #waitTimer: NodeJS.Timeout | undefined;
  #lastFailure: { failure: Failure; classified: Classified } | undefined;
  #firstByteAt: Instant | undefined;
  #lastWriteAt: number;
  /** Whether the log was told that this request is open. */
  isAnnounced = false;

  constructor(request: AdmittedRequest, delivery: Delivery, services: ExchangeServices) {
    this.request = request;
    this.#delivery = delivery;
    this.#services = services;
    this.#lastWriteAt = request.requestedAt;
  }

  get isOver(): boolean {
    return this.#phase === 'settling' || this.#phase === 'done';
  }

  get accountId(): AccountId | null {
    return this.#trail.accountId;
  }

  start(): void {
    this.#next();
  }

  /** Goes on reading from the provider once the client has caught up. */
  onDrain(): void {
    this.#call?.resume();
  }

  /** The client hung up: the provider is told at once, and no account is spent any further. */
  clientGone(): void {
    if (this.isOver) return;
    const wasAsked = !this.#trail.isEmpty;
    this.#trail.end('client_gone', this.#services.now());
    this.#call?.abort('the client hung up');
    const usage = wasAsked ? this.#seenUsage() : undefined;
    this.#settle(
      { status: 'error', code: 'client_disconnected', message: 'The client hung up', usage },
      () => undefined,
    );
  }

  /** Ends the request because the service does. */
  abort(error: ProxyError): void {
    if (this.isOver) return;
    const usage = this.#delivery.hasBegun ? this.#seenUsage() : undefined;
    this.#trail.end('aborted', this.#services.now());
    this.#call?.abort('the service is shutting down');
    this.#failWith(error, usage);
  }

  /** Called about once a second: silence of the provider, and signs of life to the client. */
  tick(now: Instant, idleMs: number, keepAliveMs: number): void {
    if (this.#phase !== 'attempting' && this.#phase !== 'relaying') return;
    const call = this.#call;
    if (!call) return;
    if (call.isPaused) {
      // While the client is the slow one, the provider's silence is ours; but nobody may hold an account for ever.
      if (now - call.lastSignAt >= idleMs) this.#delivery.destroy();
    } else if (now - call.lastSignAt >= idleMs) {
      call.abort('the provider fell silent');
      this.onFailed({ kind: 'idle' });
    } else if (this.#phase === 'relaying' && now - Math.max(call.lastSignAt, this.#lastWriteAt) >= keepAliveMs) {
      this.#lastWriteAt = now;
      this.#delivery.keepAlive();
    }
  }

  // --- choosing ---

  #next(): void {
    const at = this.#services.now();
    const { ended } = this.#trail;
    const isSpent = ended.length >= MAX_ATTEMPTS || at - this.request.requestedAt > MAX_ATTEMPTING_MS;
    if (isSpent && this.#lastFailure) {
      this.#giveUp();
      return;
    }
    const { selection, decision } = choose(this.#services, this.request, ended, at);
    if (selection.kind === 'none') {
      this.#refuse(selection, decision, at);
      return;
    }
    this.#isFallback = selection.isFallback;
    this.#try(selection.accountId, decision, at);
  }

  #refuse({ reason, until }: Extract<Selection, { kind: 'none' }>, decision: Decision, now: Instant): void {
    const patience = MAX_WAITING_MS - this.#waitedMs;
    if (reason === 'cooling' && until !== null && until - now <= patience) {
      this.#wait(until - now);
      return;
    }
    const refusal = { ...decision, reason };
    if (this.#lastFailure && reason !== 'empty') this.#giveUp(refusal, until);
    else this.#failWith(refusalError(this.#services, reason, until, now), undefined, refusal);
  }

  #wait(ms: number): void {
    this.#phase = 'waiting';
    this.#waitedMs += ms;
    this.#waitTimer = setTimeout(() => {
      this.#phase = 'attempting';
      this.#next();
    }, ms);
  }

  // --- one attempt ---

  #try(accountId: AccountId, decision: Decision, now: Instant): void {
    const account = this.#services.tokens.headersFor(accountId);
    if (!account) {
      this.#trail.open = { accountId, decision, startedAt: now, authorization: '' };
      this.#refreshThen(accountId, 'expired', undefined);
      return;
    }
    this.#trail.open = { accountId, decision, startedAt: now, authorization: account.authorization };
    this.#call = new UpstreamCall(this, {
      dropsVendorEvents: this.request.dropsVendorEvents,
      now: this.#services.now,
    });
    this.#prelude = [];
    this.#call.start(this.#services.dispatcher, {
      path: this.request.upstreamPath,
      headers: this.#services.upstreamHeaders(this.request.clientHeaders, account, this.request.requestId),
      body: this.request.upstreamBody,
    });
  }

  /** Makes the tokens valid and asks the same account again; what fails then counts as a failure of the account. */
  #refreshThen(accountId: AccountId, reason: 'expired' | 'unauthorized', used: string | undefined): void {
    this.#refreshed.add(accountId);
    const attempt = this.#trail.open;
    this.#services.tokens.refresh(accountId, reason, used).then(
      (result) => {
        if (this.isOver || this.#trail.open !== attempt || !attempt) return;
        const isValid = result === 'refreshed' || result === 'already';
        if (!isValid || !this.#services.tokens.headersFor(accountId)) {
          this.onFailed({ kind: 'tokens', isPermanent: result === 'permanent' });
        } else {
          this.#try(accountId, attempt.decision, attempt.startedAt);
        }
      },
      () => {
        if (!this.isOver) this.onFailed({ kind: 'tokens', isPermanent: false });
      },
    );
  }

  onOpened(headers: IncomingHttpHeaders): void {
    this.#upstreamHeaders = headers;
  }

  onScanned({ bytes, first, terminal }: Scanned): boolean {
    if (this.#phase === 'attempting') {
      if (!first) {
        this.#prelude.push(bytes);
        return true;
      }
      const ending = terminal && this.#read(terminal);
      if (ending?.error && !this.#delivery.hasBegun && this.#failedUnseen(ending)) return true;
      this.#phase = 'relaying';
      this.#firstByteAt = this.#services.now();
      const whole = this.#prelude.length > 0 ? Buffer.concat([...this.#prelude, bytes]) : bytes;
      return ending ? this.#end(whole, ending) : this.#delivery.pass(whole, this.#upstreamHeaders);
    }
    if (this.#phase !== 'relaying') return true;
    if (!terminal) return this.#delivery.pass(bytes, this.#upstreamHeaders);
    const ending = this.#read(terminal);
    if (ending.error && !this.#delivery.hasBegun && this.#failedUnseen(ending)) return true;
    return this.#end(bytes, ending);
  }

  /** Only clients of `/v1` refer to items by id; Codex sends its whole history. */
  #read(terminal: NonNullable<Scanned['terminal']>): Ending {
    return readEnding(terminal, { needsOutput: this.request.dropsVendorEvents });
  }

  /** A failure that no client has seen a byte of: another account may do better, unless the request is to blame. */
  #failedUnseen({ error }: Ending): boolean {
    const failure: Failure = { kind: 'failedFirst', error: error as ProviderError };
    if (classify(failure, this.#services.now()).owner === 'client' && this.#delivery.wantsEvents) return false;
    this.#call?.abort('the provider failed the request');
    this.onFailed(failure);
    return true;
  }

  onFailed(failure: Failure): void {
    if (this.isOver) return;
    const now = this.#services.now();
    const classified = classify(failure, now);
    if (this.#delivery.hasBegun) {
      this.#trail.end(classified.outcome, now, classified);
      this.#cool(classified, now);
      this.#failWith(errorForClient(failure, classified, now), this.#seenUsage());
      return;
    }
    this.#phase = 'attempting';
    this.#call = undefined;
    this.#firstByteAt = undefined;
    this.#delivery.reset();
    const attempt = this.#trail.open;
    if (classified.effect === 'refresh' && attempt && !this.#refreshed.has(attempt.accountId)) {
      this.#trail.end(classified.outcome, now, classified);
      const decision = { ...attempt.decision, isRepeat: true as const };
      this.#trail.open = { ...attempt, decision, startedAt: now };
      this.#refreshThen(attempt.accountId, 'unauthorized', attempt.authorization);
      return;
    }
    this.#trail.end(classified.outcome, now, classified);
    this.#cool(classified, now);
    this.#lastFailure = { failure, classified };
    if (classified.owner === 'client') this.#giveUp();
    else this.#next();
  }

  onEnded(): void {
    this.onFailed({ kind: 'cut', message: 'the stream ended without an event that ends the answer' });
  }

  /** What the failure means for the account, on this node at once and by the log for all. */
  #cool({ effect, outcome, limitedUntil, coolForMs, code }: Classified, now: Instant): void {
    const { accountId } = this.#trail;
    if (accountId === null) return;
    const { cooldowns } = this.#services;
    if (effect === 'cool') cooldowns.add(accountId, outcome, now, coolForMs);
    else if (effect === 'refresh') cooldowns.add(accountId, outcome, now);
    else if (effect === 'limit' && limitedUntil !== undefined) cooldowns.limit(accountId, outcome, limitedUntil);
    else if (effect === 'deactivate') this.#services.deactivate(accountId, code ?? outcome);
  }

  // --- the end ---

  #end(bytes: Buffer, ending: Ending): boolean {
    const { kind, error } = ending;
    const { accountId } = this.#trail;
    if (accountId !== null && !error) this.#services.cooldowns.clear(accountId);
    this.#trail.end(error ? 'failed_event' : 'ok', this.#services.now());
    const usage = ending.usage ?? (error && !this.#delivery.hasBegun ? undefined : this.#seenUsage(bytes.length));
    if (!error) {
      if (ending.output) this.#services.remember(this.request, ending.output);
      this.#settle({ status: '200', code: null, message: null, usage }, () =>
        this.#delivery.finish(bytes, this.#upstreamHeaders),
      );
      return true;
    }
    const message = error.message ?? 'The provider failed the request';
    const code = error.code ?? 'upstream_error';
    this.#settle({ status: 'error', code, message, usage }, () => {
      if (kind !== 'error') {
        this.#delivery.finish(bytes, this.#upstreamHeaders);
        return;
      }
      // Codex ignores `error` events, so one is followed by the ending that every client knows (clients.md row 12).
      this.#delivery.pass(bytes, this.#upstreamHeaders);
      this.#delivery.fail(
        new ProxyError('upstream_error', {}, { message, code, ...(error.type && { type: error.type }) }),
      );
    });
    return true;
  }

  #giveUp(refusal?: CompletedRequest['refusal'], until?: Instant | null): void {
    const { failure, classified } = this.#lastFailure as { failure: Failure; classified: Classified };
    const now = this.#services.now();
    const isThrottled = classified.outcome === 'throttled' && until !== undefined && until !== null;
    const error = isThrottled
      ? limitReached(until, 'error' in failure ? failure.error : undefined, now)
      : errorForClient(failure, classified, now);
    this.#failWith(error, undefined, refusal);
  }

  #failWith(error: ProxyError, usage: Outcome['usage'], refusal?: CompletedRequest['refusal']): void {
    const { message, code } = error.body.error;
    const status = this.#delivery.hasBegun ? 'error' : String(error.status);
    this.#settle({ status, code, message, usage, ...(refusal && { refusal }) }, () => this.#delivery.fail(error));
  }

  /** Makes the end durable, then lets the client see it: never the other way round (design.md promise 1). */
  #settle(outcome: Outcome, answer: () => void): void {
    clearTimeout(this.#waitTimer);
    this.#phase = 'settling';
    this.#services
      .settle({
        request: this.request,
        outcome,
        attempts: this.#trail.ended,
        isFallback: this.#isFallback,
        firstByteAt: this.#firstByteAt,
      })
      .then(
        () => {
          this.#phase = 'done';
          answer();
          // A connection whose answer was read to its end can serve the next request; one that lingers is cut.
          this.#call?.abandonUnlessEnded();
          this.#services.onDone(this);
        },
        () => {
          this.#phase = 'done';
          this.#call?.abort('the event log takes no writes');
          this.#delivery.fail(new ProxyError('log_unavailable'));
          this.#services.onDone(this);
        },
      );
  }

  #seenUsage(moreBytes = 0) {
    return usageFromWhatWasSeen(this.request.bodyBytes, this.#delivery.streamedBytes + moreBytes);
  }
}
