import type { AccountId } from '../../domain/core/brands.ts';
import type { AccountHeaders } from '../../provider/client/outboundHeaders.ts';
import { type Call, type CallListener, NO_HEADERS } from '../exchange/call.ts';
import type { Provider } from '../exchange/ports.ts';
import type { ResponseFormat } from '../exchange/responseFormats.ts';
import type { CloseReason } from '../metrics/socketMetrics.ts';
import type { Ending } from '../providerResponse/ending.ts';
import { type Failure, parseRetryAfter, providerErrorFrom } from '../providerResponse/failure.ts';
import { fillOutput, ITEM_DONE } from '../providerResponse/outputFiller.ts';
import { findServedTier } from '../providerResponse/serviceTier.ts';
import { isObject } from '../requestBody/parseJson.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import { eventOfFrame, isTerminal, parseFrame, typeOfFrame } from './frames.ts';
import { failureOfUpgrade } from './openUpstreamSocket.ts';
import { RATE_LIMITS, rateLimitHeaders } from './rateLimits.ts';
import type { Create } from './readCreate.ts';
import type { FrameListener, UpstreamSocket } from './upstreamSocket.ts';

/** The client's socket, as far as a call needs it. */
export interface CallingSocket {
  /** The provider's socket that the conversation is on. */
  readonly upstream: UpstreamSocket | undefined;
  /** Opens another one in its place. */
  replaceUpstream(
    accountId: AccountId,
    account: AccountHeaders,
    route: UpstreamRoute,
    requestId: string,
    signal: AbortSignal,
  ): Promise<UpstreamSocket>;
  /** Whether a response was an empty prewarm: without it nothing of the conversation is missing. */
  isEmptyPrewarm(responseId: string): boolean;
  /** Called with the last frame of a response. */
  onEnding(ending: Ending, frame: Buffer): void;
  /** The client's share of the message with usage; undefined: the client gets none. */
  poolRateLimits(): Buffer | undefined;
  /** Closes the client's connection: it does not read. */
  terminate(reason: CloseReason): void;
}

export interface SocketCallOptions {
  readonly side: CallingSocket;
  readonly create: Create;
  readonly requestId: string;
  readonly serviceTier: string | null;
  readonly format: Pick<ResponseFormat, 'readEnding'>;
  /** For clients of the SDK: leaves out `codex.*` messages, and fills the output of a terminal event that has none. */
  readonly dropsVendorEvents: boolean;
  /** The account that the conversation was on when the request came. */
  readonly pinnedTo: AccountId | null;
}

/** A client that reads slowly holds the provider back for so long; then svc reads on, because the provider wants its pings answered. */
const HOLD_BACK_MS = 30_000;
/** Of a client that reads slowly; with more the connection is closed. */
const MAX_HELD_BYTES = 4 * 1_048_576;
const TOO_LARGE = 1009;
const CONNECTION_LIMIT = 'websocket_connection_limit_reached';
const NOTHING: readonly Buffer[] = [];

/** One response on a websocket of the provider. */
export class SocketCall implements Call, FrameListener {
  readonly #listener: CallListener;
  readonly #accountId: AccountId;
  readonly #options: SocketCallOptions;
  readonly #opening = new AbortController();
  #start: (() => void) | undefined;
  #upstream: UpstreamSocket | undefined;
  /** Undefined once the provider has begun to respond. */
  #create: Create | undefined;
  /** The socket was open before this request, so that the provider may be closing it. */
  #isKept = false;
  /** The listener is not called any more. */
  #isDone = false;
  #hasBegun = false;
  /** Messages before the first event: they are about the account, so they go out only with an event of its response. */
  #leading: readonly Buffer[] = NOTHING;
  /** The items of the output, while its terminal event may lack them. */
  readonly #items: string[] = [];
  #pausedAt: number | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #status: number | undefined;
  readonly headers: typeof NO_HEADERS = NO_HEADERS;
  lastActivityAt: number = performance.now();

  constructor(listener: CallListener, accountId: AccountId, options: SocketCallOptions) {
    this.#listener = listener;
    this.#accountId = accountId;
    this.#options = options;
    this.#create = options.create;
  }

  start(route: UpstreamRoute, provider: Provider, account: AccountHeaders): void {
    const { upstream } = this.#options.side;
    this.#start = () => this.#open(route, provider, account);
    if (!upstream?.serves(account, route)) {
      this.#start();
      return;
    }
    this.#isKept = true;
    this.#send(upstream, this.#options.create.request.upstreamBody);
  }

  #open(route: UpstreamRoute, provider: Provider, account: AccountHeaders): void {
    this.#isKept = false;
    const frame = this.#frameForNewSocket();
    const { side, create, requestId } = this.#options;
    if (!frame) {
      this.#fail({ kind: 'contextLost', previousResponseId: create.previousResponseId ?? '' });
      return;
    }
    if (!provider.descriptors.mayConnect()) {
      this.#fail({ kind: 'outOfDescriptors' });
      return;
    }
    const { signal } = this.#opening;
    side.replaceUpstream(this.#accountId, account, route, requestId, signal).then(
      (upstream) => {
        if (!this.#isDone) this.#send(upstream, frame);
      },
      (error: unknown) => this.#fail(failureOfUpgrade(error, route, provider)),
    );
  }

  /** @returns undefined when only the socket before has what the request continues */
  #frameForNewSocket(): readonly Buffer[] | undefined {
    const { create, side, pinnedTo } = this.#options;
    const { previousResponseId } = create;
    if (previousResponseId !== undefined)
      return side.isEmptyPrewarm(previousResponseId) ? create.detached() : undefined;
    // A turn state belongs to the account that gave it.
    return pinnedTo === null || pinnedTo === this.#accountId ? create.request.upstreamBody : create.detached();
  }

  #send(upstream: UpstreamSocket, frame: readonly Buffer[]): void {
    this.#upstream = upstream;
    this.#touch();
    upstream.send(frame, this);
  }

  /** Closes the socket: the only way to end a response. */
  abort(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#opening.abort();
    this.#upstream?.terminate();
  }

  finish(): void {
    // The socket serves the next request.
  }

  get isPaused(): boolean {
    return this.#pausedAt !== undefined;
  }

  get status(): number | undefined {
    return this.#status;
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#pausedAt = undefined;
    this.#touch();
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const frame of held) this.onFrame(frame);
    if (!this.isPaused) this.#upstream?.resume();
  }

  /** Reads on from the provider although the client does not. Called once a second. @param now by `performance.now()` */
  tick(now: number): void {
    if (this.#pausedAt !== undefined && now - this.#pausedAt > HOLD_BACK_MS) this.#upstream?.resume();
  }

  onFrame(frame: Buffer): void {
    if (this.#isDone) return;
    if (this.isPaused) {
      this.#hold(frame);
      return;
    }
    this.#touch();
    const type = typeOfFrame(frame);
    if (type === 'error') {
      this.#onError(frame);
      return;
    }
    if (type?.startsWith('codex.') || type === 'response.metadata') {
      this.#onVendorFrame(type, frame);
      return;
    }
    if (isTerminal(type)) {
      const filled = this.#filled(frame);
      this.#end(this.#readEnding(type, filled), filled);
      return;
    }
    if (type === ITEM_DONE && this.#options.dropsVendorEvents) this.#items.push(frame.toString());
    this.#pass(frame);
  }

  #hold(frame: Buffer): void {
    this.#held.push(frame);
    this.#heldBytes += frame.length;
    if (this.#heldBytes > MAX_HELD_BYTES) this.#options.side.terminate('unreachable');
  }

  #onVendorFrame(type: string, frame: Buffer): void {
    let passed: Buffer | undefined = frame;
    if (type === RATE_LIMITS) {
      this.#listener.onHeaders(rateLimitHeaders(frame));
      passed = this.#options.side.poolRateLimits();
    }
    if (this.#options.dropsVendorEvents || !passed) return;
    if (this.#hasBegun) this.#pass(passed);
    else this.#leading = [...this.#leading, passed];
  }

  #pass(frame: Buffer): void {
    this.#begin();
    this.#passOn(frame, undefined);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#status = 200;
    this.#create = undefined;
    const leading = this.#leading;
    this.#leading = NOTHING;
    for (const frame of leading) this.#passOn(frame, undefined);
  }

  #passOn(frame: Buffer, ending: Ending | undefined): void {
    if (this.#listener.onEvents(frame, ending) || this.#isDone || this.isPaused) return;
    this.#pausedAt = performance.now();
    this.#upstream?.pause();
  }

  /** SDKs read the output from the terminal event (docs/clients.md#sdks-read-the-output-from-the-terminal-event). */
  #filled(frame: Buffer): Buffer {
    const filled = this.#items.length > 0 ? fillOutput({ data: frame.toString() }, this.#items) : undefined;
    return filled ? Buffer.from(JSON.stringify(filled)) : frame;
  }

  #readEnding(type: string | undefined, frame: Buffer): Ending {
    const { format, serviceTier } = this.#options;
    const event = eventOfFrame(type, frame);
    const ending = format.readEnding(event);
    return serviceTier === null ? ending : { ...ending, serviceTier: findServedTier(event.data) };
  }

  #end(ending: Ending, frame: Buffer): void {
    // A response that failed before its first event may be tried on another account, without what this one said.
    if (!ending.error) this.#begin();
    this.#upstream?.release();
    this.#options.side.onEnding(ending, frame);
    this.#listener.onEvents(frame, ending);
    this.#isDone = true;
  }

  /** An `error` instead of a response, with the status that it would have over HTTP, or within one. */
  #onError(frame: Buffer): void {
    const payload = parseFrame(frame.toString()) ?? {};
    const error = providerErrorFrom(payload);
    const status = typeof payload.status === 'number' ? payload.status : 500;
    if (!this.#hasBegun) {
      this.#upstream?.release();
      if (error.code === CONNECTION_LIMIT) {
        this.#upstream?.close();
        this.#onLost(1000);
        return;
      }
      this.#status = status;
      const headers = isObject(payload.headers) ? payload.headers : {};
      const retryAfter = headers['retry-after'];
      this.#fail({
        kind: 'status',
        status,
        error,
        retryAfterSeconds: parseRetryAfter(retryAfter === undefined ? undefined : String(retryAfter)),
      });
      return;
    }
    const passed = payload.status === undefined ? Buffer.from(JSON.stringify({ ...payload, status })) : frame;
    this.#end({ kind: 'failed', usage: undefined, error, output: undefined }, passed);
  }

  onClose(code: number): void {
    if (this.#isDone) return;
    const isProxied = this.#upstream?.isProxied ?? false;
    this.#upstream = undefined;
    // What has arrived goes to the client before the connection counts as cut.
    if (this.isPaused) this.resume();
    if (this.#isDone) return;
    if (!this.#hasBegun) this.#onLost(code);
    else this.#fail({ kind: 'cut', message: `the provider closed the websocket (${code})`, isProxied });
  }

  /** The provider has closed the socket and said nothing about the request. */
  #onLost(code: number): void {
    this.#leading = NOTHING;
    if (this.#isKept && code !== TOO_LARGE) this.#start?.();
    else if (code === TOO_LARGE)
      this.#fail({ kind: 'status', status: 413, error: providerErrorFrom(undefined), retryAfterSeconds: undefined });
    else this.#fail({ kind: 'socketClosed', closeCode: code });
  }

  #fail(failure: Failure): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#listener.onFailed(failure);
  }

  #touch(): void {
    this.lastActivityAt = performance.now();
  }
}
