import { type buildConnector, Client, type Dispatcher, Pool } from 'undici';
import type { HeaderLookup } from '../../../http/wire/headers.ts';
import {
  isComplete,
  lengthOf,
  type UpstreamControl,
  type UpstreamListener,
  type UpstreamPool,
  type UpstreamPoolOptions,
  type UpstreamRequest,
} from '../upstreamPool.ts';

const MAX_HEAD_BYTES = 65_536;
/** Requests in the last second before the timeout could reach a connection that the provider is closing. */
const KEEP_ALIVE_MARGIN_MS = 1_000;
/** Codes of errors of a connection that was closed by the provider. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The upstream pool for `SVC_PLAIN_HTTP=false`: undici, with the limits of the hand-written one. */
export function createUndiciUpstreamPool(options: UpstreamPoolOptions): UpstreamPool {
  const { origin, connectTimeoutMs } = options;
  const counts: Counts = { connected: 0, requests: 0 };
  const pool = openPool(options, counts);
  /** Pools of one connection that is used once. */
  const single = new Set<Pool>();
  const toError = (error: Error & { code?: string }): Error => {
    switch (error.code) {
      case 'UND_ERR_CONNECT_TIMEOUT':
        return new Error(`no connection to ${origin.host} within ${connectTimeoutMs} ms`, { cause: error });
      case 'UND_ERR_SOCKET':
        return new Error(`the provider closed the connection (${error.message})`, { cause: error });
      default:
        return error;
    }
  };
  function dispatchOnNewConnection(request: UpstreamRequest, transfer: Transfer): void {
    const newPool = openPool(options, counts);
    single.add(newPool);
    newPool.dispatch(toDispatchOptions(request), transfer);
    void newPool.close().finally(() => single.delete(newPool));
  }
  return {
    send(request, listener) {
      const canMove = isComplete(request.body);
      const resend = canMove ? () => dispatchOnNewConnection(request, transfer) : undefined;
      const transfer = new Transfer(listener, toError, resend, counts);
      // undici can write and fail synchronously; the port promises neither before `send` has returned.
      queueMicrotask(() => {
        if (transfer.isDone) return;
        if (canMove) pool.dispatch(toDispatchOptions(request), transfer);
        else dispatchOnNewConnection(request, transfer);
      });
      return transfer;
    },
    get connections() {
      return Math.max(counts.connected, counts.requests);
    },
    get hasIdle() {
      return counts.connected > counts.requests;
    },
    // undici closes them only after their time.
    idle: [],
    close() {
      // After the requests of this turn, which are dispatched later.
      queueMicrotask(() => void pool.close());
    },
    destroy() {
      for (const each of [pool, ...single]) void each.destroy(new Error('the connection was closed'));
    },
  };
}

/** Each request uses a connection of its own. */
interface Counts {
  connected: number;
  requests: number;
}

function openPool(options: UpstreamPoolOptions, counts: Counts): Pool {
  const { origin, connectTimeoutMs, idleMs, maxAgeMs, ca, openConnection } = options;
  return new Pool(origin.origin, {
    factory: (url, clientOptions) => new CountingClient(url, clientOptions, counts),
    allowH2: false,
    connectTimeout: connectTimeoutMs,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    clientTtl: maxAgeMs,
    maxHeaderSize: MAX_HEAD_BYTES,
    // The exchange has its own limits: they count bytes of the request, too.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: openConnection ? connectorFrom(openConnection) : ca === undefined ? {} : { ca },
  });
}

/** A request that is aborted meanwhile leaves the connection to the next one. */
const connectorFrom =
  (openConnection: NonNullable<UpstreamPoolOptions['openConnection']>): buildConnector.connector =>
  (_, callback) => {
    openConnection(new AbortController().signal).then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    );
  };

/** One connection at a time, which says whether it has carried a response. */
class CountingClient extends Client {
  hasServed = false;

  constructor(origin: URL, options: object, counts: Counts) {
    super(origin, options);
    this.on('connect', () => {
      this.hasServed = false;
      counts.connected += 1;
    });
    this.on('disconnect', () => {
      counts.connected -= 1;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (handler as Transfer).client = this;
    return super.dispatch(options, handler);
  }
}

function toDispatchOptions({ path, shared = [], headers, body }: UpstreamRequest): Dispatcher.DispatchOptions {
  const fields = shared.flatMap((block) => block.fields);
  fields.push(...headers);
  const options = { path, method: 'POST', headers: fields };
  if (!isComplete(body)) return { ...options, body: body as never };
  const length = lengthOf(body);
  // undici derives the length of a buffer, but not that of several.
  if (body.length > 1) fields.push('content-length', String(length));
  return { ...options, body: length === 0 ? null : body.length === 1 ? (body[0] as Buffer) : (body as never) };
}

/** A request and its response: translates undici's callbacks into the listener's. */
class Transfer implements Dispatcher.DispatchHandler, UpstreamControl {
  readonly #listener: UpstreamListener;
  readonly #toError: (error: Error) => Error;
  readonly #counts: Counts;
  /** Sends the request again; undefined when that is not possible, or not any more. */
  #resend: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  /** Set when the request is assigned to a connection. */
  client: CountingClient | undefined;
  isPaused = false;
  /** The response has ended, the request failed or it was aborted. */
  isDone = false;

  constructor(
    listener: UpstreamListener,
    toError: (error: Error) => Error,
    resend: (() => void) | undefined,
    counts: Counts,
  ) {
    counts.requests += 1;
    this.#counts = counts;
    this.#listener = listener;
    this.#toError = toError;
    this.#resend = resend;
  }

  pause(): void {
    if (this.isDone) return;
    this.isPaused = true;
    this.#controller?.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    // Later, because undici's parser must not be re-entered from the callback of another response.
    queueMicrotask(() => {
      if (!this.isPaused && !this.isDone) this.#controller?.resume();
    });
  }

  abort(): void {
    if (this.isDone) return;
    this.#end();
    this.#controller?.abort(new Error('the request was aborted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.isDone) controller.abort(new Error('the request was aborted'));
    else if (this.isPaused) controller.pause();
  }

  onResponseStarted(): void {
    this.#resend = undefined;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHeaders): void {
    if (status >= 200 && !this.isDone) this.#listener.onHead(status, new ParsedHeaders(headers));
  }

  onResponseData(_controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (!this.isDone) this.#listener.onBody(bytes);
  }

  onResponseEnd(): void {
    if (this.client) this.client.hasServed = true;
    if (this.isDone) return;
    this.#end();
    this.#listener.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    if (this.isDone) return;
    const resend = this.#resend;
    this.#resend = undefined;
    if (resend && this.client?.hasServed && CLOSED.has(error.code)) {
      resend();
      return;
    }
    this.#end();
    this.#listener.onError(this.#toError(error));
  }

  #end(): void {
    this.isDone = true;
    this.#counts.requests -= 1;
  }
}

type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

class ParsedHeaders implements HeaderLookup {
  readonly #headers: IncomingHeaders;

  constructor(headers: IncomingHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }
}
