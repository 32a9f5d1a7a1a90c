import type { HeaderLookup } from '../../http/wire/headers.ts';
import type { AccountHeaders } from '../../provider/client/outboundHeaders.ts';
import { ProxyFailure } from '../../provider/outgoingProxy/proxyFailure.ts';
import type { Ending } from '../providerResponse/ending.ts';
import { type Failure, parseRetryAfter, readProviderError } from '../providerResponse/failure.ts';
import { findServedTier } from '../providerResponse/serviceTier.ts';
import type { SseEvent } from '../providerResponse/sse.ts';
import { EventTooLarge, type ScanResult } from '../providerResponse/sseScanner.ts';
import type { UpstreamControl, UpstreamListener } from '../upstream/upstreamPool.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import type { AdmittedRequest } from './admittedRequest.ts';
import { type Call, type CallListener, NO_HEADERS } from './call.ts';
import { connectionFailure } from './connectionFailure.ts';
import type { Descriptors, Provider } from './ports.ts';
import type { ResponseScanner } from './responseFormats.ts';
import { StreamedBody } from './streamedBody.ts';

/** Maximum time for the provider to end a stream after its terminal event. */
const MAX_LINGER_MS = 5_000;

/** Limits of reading an error body. Without it, the status still makes an error. */
const MAX_ERROR_BYTES = 65_536;
const MAX_ERROR_MS = 5_000;

const NO_TRACE: readonly string[] = [];

/** One HTTP call to the provider. Translates the callbacks of its connection into events and failures, without promises. */
export class UpstreamCall implements Call, UpstreamListener {
  readonly #listener: CallListener;
  readonly #request: AdmittedRequest;
  readonly #scanner: ResponseScanner;
  #control: UpstreamControl | undefined;
  #status = 0;
  headers: HeaderLookup = NO_HEADERS;
  #descriptors: Descriptors | undefined;
  #hasData = false;
  /** Comments before the first event with data. They are part of the response but do not begin it. */
  #leadingComments: Buffer[] = [];
  #errorBody: Buffer[] = [];
  #errorBytes = 0;
  /** The listener is not called any more. */
  #isDone = false;
  #hasEnded = false;
  #isProxied = false;
  /** Limits the time for reading an error body, or for the provider to end a complete response. */
  #timer: NodeJS.Timeout | undefined;
  /** When bytes last moved in either direction, by `performance.now()`. */
  lastActivityAt: number;

  constructor(listener: CallListener, request: AdmittedRequest) {
    this.#listener = listener;
    this.#request = request;
    this.#scanner = request.format.newScanner();
    this.lastActivityAt = performance.now();
  }

  start(
    { pool, proxy }: UpstreamRoute,
    { basePath, outboundHeaders, descriptors }: Provider,
    account: AccountHeaders,
    traceHeaders: readonly string[] = NO_TRACE,
  ): void {
    this.#isProxied = proxy !== undefined;
    this.#descriptors = descriptors;
    if (!pool.hasIdle && !descriptors.mayConnect()) {
      this.#fail({ kind: 'outOfDescriptors' });
      return;
    }
    const { format, clientHeaders, contentType, sessionId, requestId, upstreamPath, upstreamBody } = this.#request;
    const content = { accept: format.accept, contentType, sessionId };
    const { shared, own } = outboundHeaders(clientHeaders, account, requestId, content);
    const body = upstreamBody instanceof StreamedBody ? upstreamBody.open(() => this.#touch()) : upstreamBody;
    try {
      this.#control = pool.send(
        {
          path: basePath + upstreamPath,
          shared,
          headers: traceHeaders.length > 0 ? [...own, ...traceHeaders] : own,
          body,
        },
        this,
      );
    } catch (error) {
      this.#failByError(error as Error);
    }
  }

  /** Closes the connection to the provider at once; the listener is not called any more. */
  abort(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#control?.abort();
  }

  /** The response is complete: ignores what follows, and aborts unless the provider ends the stream soon. */
  finish(): void {
    this.#isDone = true;
    if (this.#hasEnded) return;
    this.#control?.resume();
    this.#timer = setTimeout(() => this.#control?.abort(), MAX_LINGER_MS);
    this.#timer.unref();
  }

  resume(): void {
    this.#touch();
    this.#control?.resume();
  }

  get isPaused(): boolean {
    return this.#control?.isPaused ?? false;
  }

  /** HTTP status of the response; undefined before its head has arrived. */
  get status(): number | undefined {
    return this.#status === 0 ? undefined : this.#status;
  }

  onHead(status: number, headers: HeaderLookup): void {
    if (this.#isDone) return;
    this.#touch();
    this.#status = status;
    this.headers = headers;
    this.#listener.onHeaders(headers);
    if (status !== 200) {
      this.#timer = setTimeout(() => this.#failByStatus(), MAX_ERROR_MS);
      return;
    }
    const { accept, mismatch } = this.#request.format;
    if (!headers.get('content-type')?.toLowerCase().startsWith(accept)) {
      this.#fail(mismatch);
      this.#control?.abort();
    }
  }

  onBody(chunk: Buffer): void {
    if (this.#isDone) return;
    this.#touch();
    if (this.#status !== 200) {
      this.#errorBody.push(chunk);
      this.#errorBytes += chunk.length;
      if (this.#errorBytes >= MAX_ERROR_BYTES) this.#failByStatus();
      return;
    }
    try {
      if (!this.#pass(this.#scanner.push(chunk)) && !this.#isDone) this.#control?.pause();
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      this.#fail({ kind: 'eventTooLarge' });
      this.#control?.abort();
    }
  }

  onEnd(): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    if (this.#isDone) return;
    if (this.#status !== 200) {
      this.#failByStatus();
      return;
    }
    this.#pass(this.#scanner.end());
    const message = 'the stream ended without an event that ends the response';
    this.#fail({ kind: 'cut', message });
  }

  onError(error: Error): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    if (this.#isDone) return;
    if (this.#status !== 0 && this.#status !== 200 && !(error instanceof ProxyFailure)) {
      this.#failByStatus();
      return;
    }
    this.#failByError(error);
  }

  #touch(): void {
    this.lastActivityAt = performance.now();
  }

  /** @returns false to pause the provider */
  #pass({ bytes, begins, terminal }: ScanResult): boolean {
    if (bytes.length === 0) return true;
    if (begins) this.#hasData = true;
    if (!this.#hasData) {
      this.#leadingComments.push(bytes);
      return true;
    }
    const ending = terminal && this.#readEnding(terminal);
    if (this.#leadingComments.length === 0) return this.#listener.onEvents(bytes, ending);
    const joined = Buffer.concat([...this.#leadingComments, bytes]);
    this.#leadingComments = [];
    return this.#listener.onEvents(joined, ending);
  }

  #readEnding(terminal: SseEvent): Ending {
    const { format, serviceTier } = this.#request;
    const ending = format.readEnding(terminal);
    return serviceTier === null ? ending : { ...ending, serviceTier: findServedTier(terminal.data) };
  }

  #failByError(error: Error): void {
    const at = { isProxied: this.#isProxied, hasBegun: this.#status === 200, descriptors: this.#descriptors };
    this.#fail(connectionFailure(error, at));
  }

  /** Reports the error with the part of its body that has arrived. */
  #failByStatus(): void {
    clearTimeout(this.#timer);
    const error = readProviderError(Buffer.concat(this.#errorBody).toString('utf8', 0, MAX_ERROR_BYTES));
    const retryAfterSeconds = parseRetryAfter(this.headers.get('retry-after'));
    this.#fail({ kind: 'status', status: this.#status, error, retryAfterSeconds });
    if (!this.#hasEnded) this.#control?.abort();
  }

  #fail(failure: Failure): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#listener.onFailed(failure);
  }
}
