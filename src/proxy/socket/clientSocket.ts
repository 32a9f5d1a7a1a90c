import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import type { RequestSocket } from '../../domain/request/events.ts';
import { availabilityOf } from '../../domain/routing/availability.ts';
import type { AccountHeaders } from '../../provider/client/outboundHeaders.ts';
import type { Admitted } from '../admission/admissionControl.ts';
import type { Caller } from '../admission/callers.ts';
import { tokensOfText } from '../admission/estimate.ts';
import { newRequestId } from '../admission/requestId.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { eventStream, type ResponseFormat } from '../exchange/responseFormats.ts';
import type { CloseReason } from '../metrics/socketMetrics.ts';
import type { Ending } from '../providerResponse/ending.ts';
import type { MemoryShare } from '../requestBody/memoryBudget.ts';
import { isObject } from '../requestBody/parseJson.ts';
import { ClientDisconnected } from '../requestBody/readBody.ts';
import { admitRequest, clientOf, pinOf } from '../requests/admitRequest.ts';
import { lacksSessionHeader, readSessionHeader } from '../responses/conversationKey.ts';
import type { Surface } from '../responses/schema.ts';
import type { ConversationRoute } from '../routes/routes.ts';
import type { Pin } from '../settlement/settlement.ts';
import type { RequestTrace } from '../tracing/requestTrace.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import type { OpenedWebSocket } from '../upstream/websocket/openWebSocket.ts';
import { errorFrame, parseFrame } from './frames.ts';
import { poolRateLimits } from './rateLimits.ts';
import { type Create, type CreateKind, readCreate } from './readCreate.ts';
import { type CallingSocket, SocketCall } from './socketCall.ts';
import { SocketDelivery } from './socketDelivery.ts';
import type { SocketServices } from './socketServices.ts';
import { UpstreamSocket } from './upstreamSocket.ts';

export interface ClientSocketOptions {
  readonly socket: WebSocket;
  /** Below `socket`. */
  readonly connection: Socket;
  /** The upgrade: its headers hold for all requests of the socket. */
  readonly request: IncomingMessage;
  /** Of the upgrade. */
  readonly requestId: string;
  readonly key: ApiKey | null;
  readonly route: ConversationRoute;
  readonly onClosed: (socket: ClientSocket) => void;
}

/** A socket of the provider with the account that it belongs to. */
export interface OpenedUpstream {
  readonly opened: OpenedWebSocket;
  readonly accountId: AccountId;
  readonly account: AccountHeaders;
  readonly route: UpstreamRoute;
}

/** Close codes (RFC 6455, section 7.4.1). */
export const CloseCode = {
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  serviceRestart: 1012,
  tryAgainLater: 1013,
} as const;

/** Requests that come while a response is in progress; with more the client is at fault beyond help. */
const MAX_EARLY_REQUESTS = 16;
/** A client that sends a large request pays for its memory in steps of this size. */
const RESERVED_STEP_BYTES = 65_536;
const MISSED_PINGS = 2;

const FORMATS: Readonly<Record<Surface, ResponseFormat>> = {
  svc: eventStream({ dropsVendorEvents: false, remembersItems: false }),
  v1: eventStream({ dropsVendorEvents: true, remembersItems: true }),
};

/**
 * One websocket of a client, with one of the provider behind it at a time. Each `response.create` is a request of its own:
 * identified, admitted, settled and recorded like one over HTTP (docs/architecture/sockets.md).
 */
export class ClientSocket implements CallingSocket {
  readonly #services: SocketServices;
  readonly #options: ClientSocketOptions;
  readonly #surface: Surface;
  /** In the log, for all requests of the socket. */
  readonly id: string;
  upstream: UpstreamSocket | undefined;
  #count = 0;
  #isBusy = false;
  #earlyRequests = 0;
  #exchange: Exchange | undefined;
  #call: SocketCall | undefined;
  /** For the provider, where the upgrade names no session. */
  #sessionId: string | undefined;
  /** Of the last response: what a request that continues it stands for. */
  #totalTokens = 0;
  /** Of the last request, until its response is complete. */
  #isEmptyPrewarm = false;
  #emptyPrewarmId: string | undefined;
  /** For a message that is still arriving. */
  readonly #arriving: MemoryShare;
  #arrivingBytes = 0;
  #reservedBytes = 0;
  #isDraining = false;
  /** Undefined while the client may still be the one to close. */
  #closeReason: CloseReason | undefined;
  #isClosed = false;
  /** Times are of `performance.now()`. */
  readonly openedAt: number = performance.now();
  #lastRequestAt: number = this.openedAt;
  #lastHeardAt: number = this.openedAt;
  #lastPingAt: number = this.openedAt;

  constructor(services: SocketServices, options: ClientSocketOptions) {
    this.#services = services;
    this.#options = options;
    this.#surface = options.route.dialect === 'v1' ? 'v1' : 'svc';
    this.id = options.requestId.replace('req_', 'ws_');
    this.#arriving = services.memoryBudget.createShare();
    const { socket, connection } = options;
    // Before the socket reads them, which may complete a message.
    connection.prependListener('data', (bytes: Buffer) => this.#onBytes(bytes.length));
    connection.on('drain', () => this.#exchange?.onDrain());
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    socket.on('pong', () => this.#heard());
    // Always followed by `close`.
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (code.startsWith('WS_ERR_')) this.#closeReason ??= 'protocol';
    });
    socket.once('close', () => this.#onClose());
  }

  get keyId(): string | null {
    return this.#options.key?.id ?? null;
  }

  /** A response is in progress, or a request is being checked. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** When the last response ended, or the socket was opened; by `performance.now()`. */
  get idleSince(): number {
    return this.#lastRequestAt;
  }

  // The client

  #heard(): void {
    this.#lastHeardAt = performance.now();
  }

  /** Counts what arrives before it is a whole message, so that it takes its share of memory. */
  #onBytes(bytes: number): void {
    this.#heard();
    this.#arrivingBytes += bytes;
    if (this.#arrivingBytes - this.#reservedBytes < RESERVED_STEP_BYTES) return;
    try {
      this.#arriving.acquire(this.#arrivingBytes - this.#reservedBytes);
      this.#reservedBytes = this.#arrivingBytes;
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      this.#options.socket.send(errorFrame(error));
      this.close(CloseCode.tryAgainLater, 'memory');
      // The rest of the message would take the memory that there is none of.
      this.#options.socket.pause();
    }
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    this.#arriving.close();
    this.#arrivingBytes = 0;
    this.#reservedBytes = 0;
    if (this.#isClosed || this.#options.socket.readyState !== this.#options.socket.OPEN) return;
    if (isBinary) {
      this.close(CloseCode.unsupportedData, 'protocol');
      return;
    }
    if (this.#isBusy) {
      this.#refuseEarly();
      return;
    }
    this.#isBusy = true;
    this.#earlyRequests = 0;
    this.#serve(data as Buffer).catch((error: Error) => {
      this.#services.report(error, { request: this.id });
      this.terminate('fault');
    });
  }

  #refuseEarly(): void {
    const problem = 'a response is in progress on this socket: send the next request when it has ended';
    this.#options.socket.send(errorFrame(new ProxyError('invalid_request_error', { problem, param: 'type' })));
    this.#earlyRequests += 1;
    if (this.#earlyRequests > MAX_EARLY_REQUESTS) this.close(CloseCode.policyViolation, 'protocol');
  }

  async #serve(raw: Buffer): Promise<void> {
    const { memoryBudget, admissionControl, callers, gate, now } = this.#services;
    const { request, route } = this.#options;
    const requestId = newRequestId();
    const requestedAt = now();
    this.#lastRequestAt = performance.now();
    this.#count += 1;
    const number = this.#count;
    let key: ApiKey | null | undefined;
    let create: Create | undefined;
    let admitted: Admitted | undefined;
    let caller: Caller | undefined;
    let trace: RequestTrace | undefined;
    const socketOf = (kind: CreateKind = 'turn', isContinued = false): RequestSocket => ({
      id: this.id,
      number,
      kind,
      isContinued,
    });
    const share = memoryBudget.createShare();
    let inputTokens = 0;
    let socket = socketOf();
    try {
      key = await gate.pass(request);
      const keyId = key?.id ?? null;
      caller = callers.callerOf(request, keyId);
      trace = this.#services.beginTrace?.({ request, requestId, requestedAt, keyId, route: route.path });
      share.open();
      share.acquire(raw.length);
      const recall = this.#services.recall(clientOf(key));
      create = readCreate(raw, { surface: this.#surface, headers: request.headers, recall });
      const isContinued = create.previousResponseId !== undefined;
      socket = socketOf(create.kind, isContinued);
      inputTokens = tokensOfText(raw.length) + (isContinued ? this.#totalTokens : 0);
      admitted = admitRequest(this.#services, { requestId, requestedAt, key }, create.request, inputTokens);
      if (this.#isClosed) throw new ClientDisconnected();
    } catch (error) {
      share.close();
      const isIdentified = key !== undefined;
      const model = create?.request.model;
      const known = error instanceof ProxyError ? error : undefined;
      this.#services.onRefused({ request, route: route.path, model, isIdentified, error: known });
      trace?.onRefused({ status: known?.status ?? 'error', code: known?.code ?? 'client_gone', model });
      if (key !== undefined && caller) {
        const conversations = callers.conversationsOf(request, create?.request.conversationIds ?? []);
        const state = { requestId, requestedAt, route, key, model, trace, onHead: () => undefined };
        await admissionControl.refuse(error, { ...state, caller, conversations, socket }, create?.request);
      }
      this.#onRefused(error, requestId);
      return;
    }
    const { model, effort, serviceTier, conversationIds, conversationKey, upstreamBody } = create.request;
    if (conversationKey && lacksSessionHeader(conversationKey, request.headers))
      this.#sessionId = this.#services.pins.sessionId(clientOf(key), conversationKey.value);
    const pin = this.#pinOf(key, create);
    const format = FORMATS[this.#surface];
    const isStrict = this.#surface === 'v1';
    const options = { side: this, create, requestId, serviceTier, format, pinnedTo: pin.resolvedTo ?? null };
    this.#isEmptyPrewarm = create.kind === 'prewarm' && create.hasEmptyInput;
    const exchange = this.#services.openRequests.add(
      {
        requestId,
        key,
        route: route.path,
        model,
        effort,
        serviceTier,
        requestedAt,
        admission: admitted?.admission,
        meter: admitted?.meter,
        caller,
        conversations: callers.conversationsOf(request, conversationIds),
        socket,
        trace,
        pin,
        inputTokens,
        upstreamPath: route.upstreamPath,
        upstreamBody,
        share,
        format,
        newCall: (listener, accountId) => {
          this.#call = new SocketCall(listener, accountId, { ...options, dropsVendorEvents: isStrict });
          return this.#call;
        },
        clientHeaders: request.rawHeaders,
      },
      new SocketDelivery({
        socket: this.#options.socket,
        mustWait: () => this.#options.connection.writableNeedDrain,
        isStrict,
        onEnd: () => this.#onResponseEnd(),
      }),
    );
    this.#exchange = exchange;
    exchange.start();
  }

  /** The conversation stays on the account of its socket, also where no account is pinned over HTTP. */
  #pinOf(key: ApiKey | null, { request: { conversationKey } }: Create): Pin {
    const { hot, pins } = this.#services;
    const named = hot.settings.stickyThreadsEnabled ? conversationKey : undefined;
    const pin = pinOf(pins, clientOf(key), named ?? { value: this.id, source: 'socket' });
    return this.upstream ? { ...pin, resolvedTo: this.upstream.accountId } : pin;
  }

  #onRefused(error: unknown, request: string): void {
    if (error instanceof ClientDisconnected) return;
    const known = error instanceof ProxyError ? error : new ProxyError('internal_error');
    if (known !== error) this.#services.report(error as Error, { request });
    this.#options.socket.send(errorFrame(known));
    this.#onResponseEnd();
    if (known.status === 401 || known.code === 'ip_forbidden') this.close(CloseCode.policyViolation, 'refused');
  }

  #onResponseEnd(): void {
    this.#isBusy = false;
    this.#exchange = undefined;
    this.#call = undefined;
    this.#lastRequestAt = performance.now();
    if (this.#isDraining) this.close(CloseCode.serviceRestart, 'shutdown');
  }

  #onClose(): void {
    this.#isClosed = true;
    this.#arriving.close();
    this.#exchange?.onClientDisconnect();
    this.upstream?.close();
    this.#services.socketMetrics.onClosed(this.#closeReason ?? 'client');
    this.#options.onClosed(this);
  }

  // The provider

  async replaceUpstream(
    accountId: AccountId,
    account: AccountHeaders,
    route: UpstreamRoute,
    requestId: string,
    signal: AbortSignal,
  ): Promise<UpstreamSocket> {
    this.upstream?.close();
    this.upstream = undefined;
    const { request, route: path } = this.#options;
    const { rawHeaders: clientHeaders } = request;
    const { upstreamPath } = path;
    const sessionId = this.#sessionId;
    const wanted = { accountId, account, route, requestId, clientHeaders, sessionId, upstreamPath };
    const opened = await this.#services.upstreamSockets.open(wanted, signal);
    return this.useUpstream({ opened, accountId, account, route });
  }

  /** Puts the conversation on this socket of the provider. */
  useUpstream({ opened, accountId, account, route }: OpenedUpstream): UpstreamSocket {
    const upstream = new UpstreamSocket({
      ...opened,
      accountId,
      account,
      route,
      // It belongs to no request, and a client would take it for the answer to its next one.
      onIdleFrame: () => undefined,
      onClosed: () => this.#onUpstreamClosed(upstream),
    });
    this.upstream = upstream;
    if (this.#isClosed) upstream.close();
    return upstream;
  }

  #onUpstreamClosed(upstream: UpstreamSocket): void {
    if (this.upstream !== upstream) return;
    this.upstream = undefined;
    // Between two responses this costs Codex nothing: it sends the whole conversation on its next socket.
    if (!this.#isBusy) this.close(CloseCode.goingAway, 'provider');
  }

  isEmptyPrewarm(responseId: string): boolean {
    return responseId === this.#emptyPrewarmId;
  }

  onEnding({ usage, error }: Ending, frame: Buffer): void {
    if (error) return;
    if (usage) this.#totalTokens = usage.inputTokens + usage.outputTokens;
    this.#emptyPrewarmId = this.#isEmptyPrewarm ? responseIdIn(frame) : undefined;
  }

  poolRateLimits(): Buffer {
    return poolRateLimits(this.#services.hot, this.#services.now());
  }

  // The end

  /** Called once a second. @param now by `performance.now()` */
  tick(now: number): void {
    const { times } = this.#services;
    if (now - this.#lastPingAt >= times.pingMs) {
      this.#lastPingAt = now;
      this.#options.socket.ping();
      this.upstream?.ping();
    }
    const silentMs = MISSED_PINGS * times.pingMs;
    this.#call?.tick(now);
    if (this.#isBusy) {
      this.#cutIfDeleted();
      return;
    }
    if (now - this.#lastHeardAt > silentMs || (this.upstream && now - this.upstream.lastHeardAt > silentMs)) {
      this.terminate('unreachable');
    } else if (!this.#isStillAllowed()) {
      this.close(CloseCode.policyViolation, 'refused');
    } else {
      const isIdle = now - this.#lastRequestAt > times.idleMs;
      const reason = isIdle ? 'idle' : this.upstream && this.#switchReason(this.upstream, now);
      if (reason) this.close(CloseCode.goingAway, reason);
    }
  }

  #isStillAllowed(): boolean {
    try {
      this.#services.gate.identify(this.#options.request);
      return true;
    } catch (error) {
      if (error instanceof ProxyError) return false;
      throw error;
    }
  }

  /** Why the next request needs another socket, if it does: then this one is closed before it comes. */
  #switchReason(upstream: UpstreamSocket, now: number): CloseReason | undefined {
    const { accountId, openedAt } = upstream;
    if (now - openedAt > this.#services.times.maxAgeMs) return 'age';
    const { hot, provider } = this.#services;
    const account = hot.accounts.get(accountId);
    if (!account) return 'account';
    const { state } = availabilityOf(account, hot.usage.get(accountId), undefined, this.#services.now());
    if (state !== 'available') return 'account';
    const headers = provider.accessTokens.headersFor(accountId);
    return headers && upstream.serves(headers, provider.routeOf(accountId)) ? undefined : 'credentials';
  }

  #cutIfDeleted(): void {
    const { upstream } = this;
    if (upstream && !this.#services.hot.accounts.has(upstream.accountId)) upstream.cut();
  }

  /** Closes the socket once no response is in progress. */
  drain(): void {
    this.#isDraining = true;
    if (!this.#isBusy) this.close(CloseCode.serviceRestart, 'shutdown');
  }

  close(code: number, reason: CloseReason): void {
    this.#closeReason ??= reason;
    this.#options.socket.close(code);
    this.upstream?.close();
  }

  terminate(reason: CloseReason): void {
    this.#closeReason ??= reason;
    this.#options.socket.terminate();
  }
}

/** The id of the response in its last event. */
function responseIdIn(frame: Buffer): string | undefined {
  const response = parseFrame(frame.toString())?.response;
  return isObject(response) && typeof response.id === 'string' ? response.id : undefined;
}

/** The name of the conversation in the headers of an upgrade: a main thread has the same id as its `prompt_cache_key`. */
export const conversationOfUpgrade = ({ headers }: IncomingMessage) => {
  const thread = headers['thread-id'];
  if (typeof thread === 'string' && thread !== '') return { value: thread, source: 'thread-id' };
  return readSessionHeader(headers);
};
