import type { Instant } from '../../domain/core/brands.ts';
import type { TokenUsage } from '../../domain/request/events.ts';
import type { HeaderLookup } from '../../http/wire/headerLookup.ts';
import type { AdmittedRequest } from '../admission/admittedRequest.ts';
import { usageFromWhatWasSeen } from '../admission/estimate.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { Ending } from '../providerResponse/ending.ts';
import type { Delivery } from '../relay/delivery.ts';
import type { Outcome } from '../settlement/settlement.ts';
import type { AttemptHistory } from './attemptHistory.ts';
import type { ExchangeServices } from './exchangeServices.ts';

/** The end of a request: what the log will say, and what the client sees once the log has it. */
export class Completion {
  readonly #request: AdmittedRequest;
  readonly #trail: AttemptHistory;
  readonly #delivery: Delivery;
  readonly #services: ExchangeServices;
  readonly #onTold: (isDurable: boolean) => void;
  /** The account that answered is not the one of the conversation. */
  isFallback = false;
  firstByteAt: Instant | undefined;
  isReached = false;

  /** @param onTold the client has heard it; `isDurable` is false when the log did not take it */
  constructor(
    request: AdmittedRequest,
    trail: AttemptHistory,
    delivery: Delivery,
    services: ExchangeServices,
    onTold: (isDurable: boolean) => void,
  ) {
    this.#request = request;
    this.#trail = trail;
    this.#delivery = delivery;
    this.#services = services;
    this.#onTold = onTold;
  }

  /** The provider ended its answer, well or not. @param bytes the last events, the ending one among them */
  answered(bytes: Buffer, ending: Ending, upstreamHeaders: HeaderLookup): void {
    const { kind, error, output, serviceTier } = ending;
    const { accountId } = this.#trail;
    this.#trail.end(error ? 'failed_event' : 'ok', this.#services.now());
    const usage = ending.usage ?? (error && !this.#delivery.hasBegun ? undefined : this.seenUsage(bytes.length));
    if (!error) {
      if (accountId !== null) this.#services.cooldowns.clear(accountId);
      if (output) this.#services.remember(this.#request, output);
      this.#settle({ status: '200', code: null, message: null, usage, serviceTier }, () =>
        this.#delivery.finish(bytes, upstreamHeaders),
      );
      return;
    }
    const message = error.message ?? 'The provider failed the request';
    const code = error.code ?? 'upstream_error';
    this.#settle({ status: 'error', code, message, usage, serviceTier }, () => {
      if (kind !== 'error') {
        this.#delivery.finish(bytes, upstreamHeaders);
        return;
      }
      // Codex ignores `error` events, so one is followed by the ending that every client knows (clients.md row 12).
      this.#delivery.pass(bytes, upstreamHeaders);
      this.#delivery.fail(
        new ProxyError('upstream_error', {}, { message, code, ...(error.type && { type: error.type }) }),
      );
    });
  }

  /** The client gets an error: as a status, or inside its stream when that has begun. */
  failed(error: ProxyError, { usage, refusal }: Partial<Pick<Outcome, 'usage' | 'refusal'>> = {}): void {
    const { message, code } = error.body.error;
    const status = this.#delivery.hasBegun ? 'error' : String(error.status);
    this.#settle({ status, code, message, usage, ...(refusal && { refusal }) }, () => this.#delivery.fail(error));
  }

  clientLeft(usage: TokenUsage | undefined): void {
    this.#settle(
      { status: 'error', code: 'client_disconnected', message: 'The client hung up', usage },
      () => undefined,
    );
  }

  /** What was used, as far as bytes tell. @param moreBytes of the answer that are not delivered yet */
  seenUsage(moreBytes = 0): TokenUsage {
    const { inputTokens, answer } = this.#request;
    return usageFromWhatWasSeen(inputTokens, answer.tokensIn(this.#delivery.streamedBytes + moreBytes));
  }

  /** Makes the end durable, then lets the client see it: never the other way round (design.md promise 1). */
  #settle(outcome: Outcome, tell: () => void): void {
    this.isReached = true;
    this.#services
      .settle({
        request: this.#request,
        outcome,
        attempts: this.#trail.ended,
        isFallback: this.isFallback,
        firstByteAt: this.firstByteAt,
      })
      .then(
        () => {
          tell();
          this.#onTold(true);
        },
        () => {
          this.#delivery.fail(new ProxyError('log_unavailable'));
          this.#onTold(false);
        },
      )
      .catch((error: Error) => {
        // A mistake of ours: this client sees a broken connection, all others nothing.
        this.#services.report(error);
        this.#delivery.destroy();
        this.#onTold(false);
      });
  }
}
