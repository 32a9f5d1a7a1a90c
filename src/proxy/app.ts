import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import compose from 'koa-compose';
import type { Instant } from '../domain/core/brands.ts';
import type { ClientAddress } from '../http/client/clientAddress.ts';
import type { ClientRequest, ClientResponse } from '../http/client/clientRequest.ts';
import type { HttpResponses } from '../lib/metrics/httpResponses.ts';
import { createApiKeyCheck } from './admission/apiKey.ts';
import { createFirewall } from './admission/firewall.ts';
import type { Refusals } from './admission/refusals.ts';
import { newRequestId } from './admission/requestId.ts';
import { sendPolicies, sendWorkspaces } from './codexStart/codexStart.ts';
import { OUT_OF_DESCRIPTORS_HEADERS, ProxyError } from './errors/proxyError.ts';
import type { RequestMetrics } from './metrics/requestMetrics.ts';
import { createModelRequestHandler, type ModelRequestServices } from './modelRequestHandler.ts';
import { createModelsHandler, type ModelsOptions } from './models/modelsHandler.ts';
import type { ResponseHead } from './relay/responseHead.ts';
import { sendError } from './relay/sendJson.ts';
import { ClientDisconnected } from './requestBody/readBody.ts';
import type { ProxyState, RoutedState } from './routes/proxyState.ts';
import {
  type ConversationRoute,
  createRouteLookup,
  isModelRoute,
  isPublic,
  modelIdIn,
  needsKey,
  servesSockets,
  type TranscriptionRoute,
} from './routes/routes.ts';
import type { SocketServices } from './socket/socketServices.ts';
import { createUpgradeHandler, type UpgradeHandlerOptions } from './socket/upgradeHandler.ts';
import type { BeginTrace, RequestTrace } from './tracing/requestTrace.ts';
import { createTranscriptionHandler } from './transcribe/transcriptionHandler.ts';
import { createUsageHandler } from './usage/usageHandler.ts';

/** Why no new request may start. */
export type UnavailableReason = keyof typeof UNAVAILABLE_HEADERS;

export interface ProxyOptions extends ModelRequestServices {
  readonly models: ModelsOptions;
  readonly refusals: Refusals;
  readonly clientAddress: ClientAddress;
  /** Whether a client is known to run on this machine. */
  readonly isThisMachine: (request: ClientRequest) => boolean;
  /** The value of SVC_ALLOW_OPEN. */
  readonly allowsOpen: boolean;
  readonly hasAliases: boolean;
  readonly metrics: ProxyMetrics;
  /** Absent while traces are off. */
  readonly beginTrace?: BeginTrace | undefined;
  /** @returns undefined while new requests may start */
  readonly unavailableReason: () => UnavailableReason | undefined;
  /**
   * @returns undefined while every fail-closed sink takes events, else whether they do again within the time that a request waits
   */
  readonly whenSinksTake?: (() => Promise<boolean> | undefined) | undefined;
  readonly now: () => Instant;
  /** Undefined while websockets are switched off: their upgrades get 426. */
  readonly sockets?: SocketOptions | undefined;
  /** Called with unexpected exceptions: bugs in svc. */
  readonly report: (error: Error, about?: { readonly request: string }) => void;
}

/** What websockets need in addition. */
export interface SocketOptions
  extends Pick<SocketServices, 'accounts' | 'provider' | 'upstreamSockets' | 'socketMetrics' | 'times'>,
    Omit<UpgradeHandlerOptions, 'services'> {}

/** The entrances of the proxy. */
export interface ProxyEntrances {
  readonly serve: (request: ClientRequest, response: ClientResponse) => void;
  /** @param head what has arrived after the head of the upgrade */
  readonly upgrade: (request: IncomingMessage, response: ServerResponse, head: Buffer) => void;
}

/** What is counted of requests to the proxy. */
export interface ProxyMetrics {
  readonly requests: Pick<RequestMetrics, 'onRefused'>;
  readonly responses: Pick<HttpResponses, 'count'>;
}

/** Refusals of clients without an identity: a flood of them must not fill the log. */
const COUNTED: ReadonlySet<string> = new Set(['ip_forbidden', 'remote_access_disabled', 'invalid_api_key']);

const UNAVAILABLE_HEADERS = {
  shutting_down: { 'retry-after': '1', connection: 'close' },
  outbox_full: { 'retry-after': '30' },
  log_unavailable: { 'retry-after': '5' },
  out_of_file_descriptors: OUT_OF_DESCRIPTORS_HEADERS,
};

/**
 * Creates the proxy; a request passes its middleware from top to bottom. No body is read before the client is identified.
 * Handlers write to the response themselves, because a body piped through Koa halves the throughput
 * (docs/decisions/0017-http-libraries.md).
 */
export function createProxy(options: ProxyOptions): ProxyEntrances {
  const { hot, limits, now, clientAddress, refusals, metrics, beginTrace, report } = options;
  const checkFirewall = createFirewall(options);
  const checkApiKey = createApiKeyCheck({ hot, now });
  const findRoute = createRouteLookup({ hasAliases: options.hasAliases });
  const handleModelRequest = createModelRequestHandler(options);
  const handleTranscription = createTranscriptionHandler(options);
  const models = createModelsHandler(options.models);
  const handleUsage = createUsageHandler({ hot, now });
  const handleUpgrade = options.sockets && createUpgradeHandler(upgradeOptions(options, options.sockets));
  const headOf = ({ requestId, onHead }: ProxyState): ResponseHead => ({ requestId, limits, onHead });

  const app = new Koa<ProxyState>();

  app.use(async function identify(ctx: Context & { state: ProxyState }, next: Next) {
    ctx.respond = false;
    const requestedAt = now();
    ctx.state.requestedAt = requestedAt;
    ctx.state.requestId = newRequestId(requestedAt);
    const route = findRoute(ctx.path);
    ctx.state.route = route;
    ctx.state.model = undefined;
    ctx.state.trace = undefined;
    ctx.state.onHead = (status) => metrics.responses.count(route?.path, ctx.method, status);
    try {
      await next();
    } catch (error) {
      handleError(ctx, error);
    }
  });

  app.use(function firewall(ctx, next) {
    if (!isPublic(ctx.state.route)) checkFirewall(ctx.req);
    return next();
  });

  app.use(function upgrade({ req, state }, next) {
    // Codex falls back to POST at once only on 426 (docs/clients.md#codex-falls-back-from-websocket-on-426-only).
    const isUpgrade = req.headers.upgrade?.toLowerCase() === 'websocket';
    if (isUpgrade && state.route && !state.upgradeHead) throw new ProxyError('upgrade_required');
    return next();
  });

  app.use(function apiKey(ctx, next) {
    const { state } = ctx;
    state.key = needsKey(ctx.path, state.route) ? checkApiKey(ctx.req) : null;
    if (beginTrace !== undefined) state.trace = traceOf(ctx);
    return next();
  });

  app.use(function route({ path, method, state }, next) {
    const { route } = state;
    if (!route) throw new ProxyError('not_found', { path: path.slice(0, 200) });
    if (state.upgradeHead && servesSockets(route)) return next();
    // Node omits the response body for HEAD.
    const allowed = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
    if (!allowed.includes(method)) {
      const details = { method, allowed: allowed.join(' or ') };
      throw new ProxyError('method_not_allowed', details, { headers: { allow: allowed.join(', ') } });
    }
    return next();
  });

  app.use(function sinks(ctx, next) {
    const { state, path, req } = ctx;
    const taking = state.route?.method === 'GET' ? undefined : options.whenSinksTake?.();
    if (!taking) return next();
    return taking.then((isTaking) => {
      if (!isTaking) throw sinkUnavailable();
      // The key may have ended meanwhile.
      state.key = needsKey(path, state.route) ? checkApiKey(req) : null;
      return next();
    });
  });

  app.use(function availability({ state }, next) {
    const reason = options.unavailableReason();
    // Reads are served from memory and record nothing, so they need no log.
    const isRead = state.route?.method === 'GET' && reason !== 'shutting_down';
    if (reason && !isRead) throw unavailable(reason);
    return next();
  });

  app.use(function handle({ req, res, path, state }) {
    const { route } = state as RoutedState;
    switch (route.kind) {
      case 'conversation':
        if (state.upgradeHead)
          return handleUpgrade?.(req, res, state as RoutedState<ConversationRoute>, state.upgradeHead);
        return handleModelRequest(req, res, state as RoutedState<ConversationRoute>);
      case 'transcription':
        return handleTranscription(req, res, state as RoutedState<TranscriptionRoute>);
      case 'models':
        return models.list(res, state, headOf(state));
      case 'model':
        return models.one(res, modelIdIn(path) ?? '', state, headOf(state));
      case 'usage':
        return handleUsage(res, headOf(state));
      case 'workspaces':
        return sendWorkspaces(req, res, route, headOf(state));
      case 'policies':
        return sendPolicies(res, headOf(state));
      default:
        return route satisfies never;
    }
  });

  /** Of identified clients only: strangers could else fill the trace store, and have their traces sampled. */
  function traceOf({ req: request, state }: Context & { state: ProxyState }): RequestTrace | undefined {
    const { requestId, requestedAt, key, route } = state;
    if (!route || !isModelRoute(route) || request.method !== route.method) return undefined;
    return beginTrace?.({ request, requestId, requestedAt, keyId: key?.id ?? null, route: route.path });
  }

  function onRefused({ req, state }: Context & { state: ProxyState }, status: number | 'error', code: string): void {
    const { route, model, trace } = state;
    if (!route || !isModelRoute(route) || req.method !== route.method) return;
    metrics.requests.onRefused({ route: route.path, model, status });
    trace?.onRefused({ status, code, model });
  }

  function handleError(ctx: Context & { state: ProxyState }, error: unknown): void {
    const { req, res, state } = ctx;
    if (error instanceof ClientDisconnected) {
      onRefused(ctx, 'error', 'client_gone');
      res.destroy();
      return;
    }
    const known = error instanceof ProxyError ? error : new ProxyError('internal_error');
    if (known !== error) report(error as Error, { request: state.requestId });
    onRefused(ctx, known.status, known.code);
    if (state.upgradeHead) options.sockets?.socketMetrics.onUpgrade(known.code);
    // A refusal of an identified client has an event of its own, also when its key is revoked while the body arrives.
    const isAnonymous = state.key === undefined;
    if (isAnonymous && COUNTED.has(known.code)) {
      refusals.countAnonymous(clientAddress(req) ?? 'unknown', known.code);
    }
    if (state.upgradeHead && isCodex(req) && (known.status === 401 || known.status === 403)) {
      // It would try again for 7 s before it gets the same answer to its POST.
      sendError(res, new ProxyError('upgrade_required'), headOf(state));
      return;
    }
    // Node reads the rest of the body and discards it. Closing at once would reset the connection of a client that is still
    // sending, and the client would lose the response.
    sendError(res, known, headOf(state));
  }

  // Replaces `app.callback()`, which also watches the end of every response and adds missing bodies. That is not needed
  // here and costs as much as all the middleware.
  const middleware = compose(app.middleware);
  const run = (request: ClientRequest, response: ClientResponse, upgradeHead?: Buffer) => {
    // Koa uses nothing of a request that `PlainRequest` does not have.
    const context = app.createContext(request as IncomingMessage, response as ServerResponse);
    if (upgradeHead) context.state.upgradeHead = upgradeHead;
    middleware(context).catch((error: Error) => {
      report(error);
      response.destroy();
    });
  };
  return { serve: (request, response) => run(request, response), upgrade: run };
}

const sinkUnavailable = () => new ProxyError('sink_unavailable', {}, { headers: { 'retry-after': '5' } });

const unavailable = (reason: UnavailableReason) => new ProxyError(reason, {}, { headers: UNAVAILABLE_HEADERS[reason] });

/** Codex names the version of the protocol in its upgrades. */
const isCodex = ({ headers }: IncomingMessage): boolean =>
  String(headers['openai-beta'] ?? '').includes('responses_websockets');

/** What every request on a socket passes is the same as over HTTP, in the order of the middleware. */
function upgradeOptions(options: ProxyOptions, { sockets, deflate, hasWorkedLately, ...more }: SocketOptions) {
  const { hot, now, metrics, refusals, clientAddress, conversations } = options;
  const checkFirewall = createFirewall(options);
  const checkApiKey = createApiKeyCheck({ hot, now });
  const identify = (request: ClientRequest) => {
    checkFirewall(request);
    return checkApiKey(request);
  };
  const services: SocketServices = {
    ...options,
    ...more,
    pins: conversations,
    recall: (client) => (id) => conversations.recentItems.recall(client, id),
    gate: {
      identify,
      async pass(request) {
        const key = identify(request);
        const taking = options.whenSinksTake?.();
        if (taking && !(await taking)) throw sinkUnavailable();
        const reason = options.unavailableReason();
        // The socket is closed once this response has ended.
        if (reason) throw unavailable(reason);
        return taking ? identify(request) : key;
      },
    },
    onRefused({ request, route, model, isIdentified, error }) {
      metrics.requests.onRefused({ route, model, status: error?.status ?? 'error' });
      if (!isIdentified && error && COUNTED.has(error.code))
        refusals.countAnonymous(clientAddress(request) ?? 'unknown', error.code);
    },
  };
  return { services, sockets, deflate, hasWorkedLately };
}
