import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import type { AccountHeaders } from '../../provider/client/outboundHeaders.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { eventStream, type ResponseFormat } from '../exchange/responseFormats.ts';
import type { CloseReason } from '../metrics/socketMetrics.ts';
import type { Ending } from '../providerResponse/ending.ts';
import { ClientDisconnected } from '../requestBody/readBody.ts';
import { clientOf, pinOf } from '../requests/admitRequest.ts';
import { lacksSessionHeader } from '../responses/conversationKey.ts';
import type { Surface } from '../responses/schema.ts';
import type { ConversationRoute } from '../routes/routes.ts';
import type { Pin } from '../settlement/settlement.ts';
import type { UpstreamRoute } from '../upstream/upstreamRoutes.ts';
import type { OpenedWebSocket } from '../upstream/websocket/openWebSocket.ts';
import { type BegunRequest, beginRequest } from './beginRequest.ts';
import { ClientConnection } from './clientConnection.ts';
import { CloseCode } from './closeCodes.ts';
import { reasonToClose } from './idleCheck.ts';
import { poolRateLimits } from './rateLimits.ts';
import type { Create } from './readCreate.ts';
import { ResponseContext } from './responseContext.ts';
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
  /** Called when the client has sent a request that is too large for a socket. */
  readonly onTooLarge: () => void;
  readonly onClosed: (socket: ClientSocket) => void;
}

/** A socket of the provider with the account that it belongs to. */
export interface OpenedUpstream {
  readonly opened: OpenedWebSocket;
  readonly accountId: AccountId;
  readonly account: AccountHeaders;
  readonly route: UpstreamRoute;
}

/** Requests that come while a response is in progress; with more the client is at fault beyond help. */
const MAX_EARLY_REQUESTS = 16;

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
  readonly #context = new ResponseContext();
  readonly #client: ClientConnection;
  #isDraining = false;
  /** By `performance.now()`, as are the times below. */
  readonly openedAt: number = performance.now();
  #lastRequestAt: number = this.openedAt;
  #lastPingAt: number = this.openedAt;

  constructor(services: SocketServices, options: ClientSocketOptions) {
    this.#services = services;
    this.#options = options;
    this.#surface = options.route.dialect === 'v1' ? 'v1' : 'svc';
    this.id = options.requestId.replace('req_', 'ws_');
    const { socket, connection, onTooLarge } = options;
    this.#client = new ClientConnection({
      socket,
      connection,
      memoryBudget: services.memoryBudget,
      surface: this.#surface,
      onTooLarge,
      onMessage: (data) => this.#onMessage(data),
      onDrain: () => this.#exchange?.onDrain(),
      onClosing: () => this.upstream?.close(),
      onClosed: (reason) => this.#onClosed(reason),
    });
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

  #onMessage(data: Buffer): void {
    if (this.#isBusy) {
      this.#refuseEarly();
      return;
    }
    this.#isBusy = true;
    this.#earlyRequests = 0;
    this.#serve(data).catch((error: Error) => {
      this.#services.report(error, { request: this.id });
      this.terminate('fault');
    });
  }

  #refuseEarly(): void {
    const problem = 'a response is in progress on this socket: send the next request when it has ended';
    this.#client.sendError(new ProxyError('invalid_request_error', { problem, param: 'type' }));
    this.#earlyRequests += 1;
    if (this.#earlyRequests > MAX_EARLY_REQUESTS) this.close(CloseCode.policyViolation, 'protocol');
  }

  async #serve(raw: Buffer): Promise<void> {
    this.#lastRequestAt = performance.now();
    this.#count += 1;
    this.#context.isComplete = false;
    const { request, route } = this.#options;
    const surface = this.#surface;
    const { totalTokens } = this.#context;
    const of = { id: this.id, request, route, surface, totalTokens, isClosed: () => this.#client.isClosed };
    let begun: BegunRequest;
    try {
      begun = await beginRequest(this.#services, of, raw, this.#count);
    } catch (error) {
      this.#onRefused(error);
      return;
    }
    const { requestId, requestedAt, key, create, admitted, caller, trace, share, inputTokens, socket } = begun;
    const { model, effort, serviceTier, conversationIds, conversationKey, upstreamBody } = create.request;
    if (conversationKey && lacksSessionHeader(conversationKey, request.headers))
      this.#sessionId = this.#services.pins.sessionId(clientOf(key), conversationKey.value);
    const pin = this.#pinOf(key, create);
    const format = FORMATS[surface];
    const isStrict = surface === 'v1';
    const options = { side: this, create, requestId, serviceTier, format, pinnedTo: pin.resolvedTo ?? null };
    this.#context.isEmptyPrewarm = create.kind === 'prewarm' && create.hasEmptyInput;
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
        conversations: this.#services.callers.conversationsOf(request, conversationIds),
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
        connection: this.#options.connection,
        isStrict,
        sendError: (error) => this.#client.sendError(error),
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

  #onRefused(error: unknown): void {
    if (error instanceof ClientDisconnected) return;
    if (!(error instanceof ProxyError)) throw error;
    this.#client.sendError(error);
    this.#onResponseEnd();
    if (error.status === 401 || error.code === 'ip_forbidden') this.close(CloseCode.policyViolation, 'refused');
  }

  #onResponseEnd(): void {
    this.#isBusy = false;
    this.#exchange = undefined;
    this.#call = undefined;
    this.#lastRequestAt = performance.now();
    if (this.#isDraining) this.close(CloseCode.serviceRestart, 'shutdown');
    else if (this.#context.isComplete && !this.upstream) this.close(CloseCode.goingAway, 'provider');
  }

  #onClosed(reason: CloseReason): void {
    this.#exchange?.onClientDisconnect();
    this.upstream?.close();
    this.#services.socketMetrics.onClosed(reason);
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
    if (this.#client.isClosed) upstream.close();
    return upstream;
  }

  #onUpstreamClosed(upstream: UpstreamSocket): void {
    if (this.upstream !== upstream) return;
    this.upstream = undefined;
    // Between two responses this costs Codex nothing: it sends the whole conversation on its next socket.
    if (!this.#isBusy) this.close(CloseCode.goingAway, 'provider');
  }

  isEmptyPrewarm(responseId: string): boolean {
    return responseId === this.#context.emptyPrewarmId;
  }

  onEnding(ending: Ending, frame: Buffer): void {
    this.#context.onEnding(ending, frame);
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
      this.#client.ping();
      this.upstream?.ping();
    }
    this.#call?.tick(now);
    if (this.#isBusy) {
      this.#cutIfDeleted();
      return;
    }
    const { request } = this.#options;
    const { upstream, idleSince } = this;
    const { lastHeardAt } = this.#client;
    const reason = reasonToClose(this.#services, { request, upstream, lastHeardAt, idleSince }, now);
    if (reason === 'unreachable') this.terminate(reason);
    else if (reason) this.close(reason === 'refused' ? CloseCode.policyViolation : CloseCode.goingAway, reason);
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
    this.#client.close(code, reason);
  }

  terminate(reason: CloseReason): void {
    this.#client.terminate(reason);
  }
}
