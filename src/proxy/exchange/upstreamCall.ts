import type { HeaderLookup } from '../../http/wire/headerLookup.ts';
import { type Failure, readProviderError } from '../providerResponse/failure.ts';
import { EventTooLarge, type Scanned } from '../providerResponse/sseScanner.ts';
import type { UpstreamControl, UpstreamListener, UpstreamPool, UpstreamRequest } from '../upstream/upstreamPool.ts';
import type { ResponseFormat, ResponseScanner } from './responseFormats.ts';

/** Told what happens to a call; after `onFailed` or `onEnded` nothing more comes. */
export interface CallObserver {
  /** The provider answers well. Its first event decides what becomes of it, so nothing is passed on yet. */
  onOpened(headers: HeaderLookup): void;
  /** Of every answer, refusals too, before anything else of it. */
  onHeaders?(headers: HeaderLookup): void;
  /** Whole events. Returning false asks the provider to wait until `resume`. */
  onScanned(scanned: Scanned): boolean;
  onFailed(failure: Failure): void;
  /** The provider ended its stream without an event that ends the answer. */
  onEnded(): void;
}

/** So long a provider may take to end a stream whose answer is complete. */
const LINGER_MS = 5_000;

/** Of an error's body no more is read than an error needs, and its head has said already that it is one. */
const MAX_ERROR_BYTES = 65_536;
const MAX_ERROR_MS = 5_000;

/** One request to the provider: what its connection tells, turned into events and failures with no promise in between. */
export class UpstreamCall implements UpstreamListener {
  readonly #observer: CallObserver;
  readonly #format: ResponseFormat;
  readonly #scanner: ResponseScanner;
  #control: UpstreamControl | undefined;
  #status = 0;
  #headers: HeaderLookup | undefined;
  #errorBody: Buffer[] = [];
  #errorBytes = 0;
  #isDone = false;
  #hasEnded = false;
  /** One at a time: for an error's body, or for the end of an answer that is complete. */
  #timer: NodeJS.Timeout | undefined;
  /** When the provider last gave a sign of life, in milliseconds of a clock that does not jump. */
  lastSignAt: number;

  constructor(observer: CallObserver, format: ResponseFormat) {
    this.#observer = observer;
    this.#format = format;
    this.#scanner = format.newScanner();
    this.lastSignAt = performance.now();
  }

  start(upstream: UpstreamPool, request: UpstreamRequest): void {
    try {
      this.#control = upstream.send(request, this);
    } catch (error) {
      this.#fail({ kind: 'unreachable', message: (error as Error).message });
    }
  }

  /** Ends the call; the provider's side is torn down at once. Nothing more is told. */
  abort(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#control?.abort();
  }

  /** The answer is complete: what still comes is ignored, and a provider that does not end its stream is cut off. */
  abandonUnlessEnded(): void {
    this.#isDone = true;
    if (this.#hasEnded) return;
    this.#control?.resume();
    this.#timer = setTimeout(() => this.#control?.abort(), LINGER_MS);
    this.#timer.unref();
  }

  /** Something moved on the way to the provider. */
  touch(): void {
    this.lastSignAt = performance.now();
  }

  resume(): void {
    this.lastSignAt = performance.now();
    this.#control?.resume();
  }

  get isPaused(): boolean {
    return this.#control?.isPaused ?? false;
  }

  onHead(status: number, headers: HeaderLookup): void {
    if (this.#isDone) return;
    this.lastSignAt = performance.now();
    this.#status = status;
    this.#headers = headers;
    this.#observer.onHeaders?.(headers);
    if (status !== 200) {
      this.#timer = setTimeout(() => this.#failByStatus(), MAX_ERROR_MS);
      return;
    }
    if (!headers.get('content-type')?.toLowerCase().startsWith(this.#format.accept)) {
      this.#fail(this.#format.otherwise);
      this.#control?.abort();
      return;
    }
    this.#observer.onOpened(headers);
  }

  onBody(chunk: Buffer): void {
    if (this.#isDone) return;
    this.lastSignAt = performance.now();
    if (this.#status !== 200) {
      this.#errorBody.push(chunk);
      this.#errorBytes += chunk.length;
      if (this.#errorBytes >= MAX_ERROR_BYTES) this.#failByStatus();
      return;
    }
    try {
      const scanned = this.#scanner.push(chunk);
      if (scanned.bytes.length > 0 && !this.#observer.onScanned(scanned) && !this.#isDone) this.#control?.pause();
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
    const scanned = this.#scanner.end();
    if (scanned.bytes.length > 0) this.#observer.onScanned(scanned);
    if (this.#isDone) return;
    this.#isDone = true;
    this.#observer.onEnded();
  }

  onError(error: Error): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    if (this.#isDone) return;
    if (this.#status === 0) this.#fail({ kind: 'unreachable', message: error.message });
    else if (this.#status === 200) this.#fail({ kind: 'cut', message: error.message });
    else this.#failByStatus();
  }

  /** With as much of the error's body as has come. */
  #failByStatus(): void {
    clearTimeout(this.#timer);
    const error = readProviderError(Buffer.concat(this.#errorBody).toString('utf8', 0, MAX_ERROR_BYTES));
    const retryAfterSeconds = secondsOf(this.#headers?.get('retry-after'));
    this.#fail({ kind: 'status', status: this.#status, error, retryAfterSeconds });
    if (!this.#hasEnded) this.#control?.abort();
  }

  #fail(failure: Failure): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#observer.onFailed(failure);
  }
}

function secondsOf(header: string | undefined): number | undefined {
  const seconds = header ? Number(header) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}
