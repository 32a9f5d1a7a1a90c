import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import compose from 'koa-compose';
import type { ApiKey } from '../domain/apiKey/state.ts';
import type { Instant } from '../domain/core/brands.ts';
import type { ClientRequest, ClientResponse } from '../http/client/client.ts';
import type { ClientAddress } from '../http/client/clientAddress.ts';
import { createApiKeyCheck } from './admission/apiKey.ts';
import { createFirewall } from './admission/firewall.ts';
import type { Refusals } from './admission/refusals.ts';
import { newRequestId } from './admission/requestId.ts';
import { ProxyError } from './errors/proxyError.ts';
import { createModelRequestHandler, type ModelRequestServices } from './modelRequest.ts';
import { createModelsHandler, type ModelsOptions } from './models/modelsHandler.ts';
import type { ResponseHead } from './relay/responseHead.ts';
import { sendError } from './relay/sendError.ts';
import { ClientDisconnected } from './requestBody/readBody.ts';
import { createRouteLookup, isPublic, modelIdIn, type ProxyRoute } from './routes.ts';
import { createTranscriptionHandler } from './transcribe/transcriptionHandler.ts';
import { createUsageHandler } from './usage/usageHandler.ts';

/** What the stations below know of a request; each adds its part. */
export interface ProxyState {
  requestId: string;
  requestedAt: Instant;
  route: ProxyRoute | undefined;
  key: ApiKey | null;
}

export interface ProxyOptions extends ModelRequestServices, ModelsOptions {
  readonly clientAddress: ClientAddress;
  readonly hasAliases: boolean;
  readonly refusals: Refusals;
  /** Why nothing new may be begun, while nothing may. */
  readonly unavailableReason: () => keyof typeof CLOSED | undefined;
}

const CLOSED = {
  shutting_down: { 'retry-after': '1', connection: 'close' },
  outbox_full: { 'retry-after': '30' },
  log_unavailable: { 'retry-after': '5' },
};

/**
 * The proxy surface, top to bottom: this is the order in which a request meets its stations. Nothing is decompressed for
 * a stranger. Answers are written to the response itself, because a piped Koa body halves the throughput (performance.md).
 */
export function createProxy(options: ProxyOptions): (request: ClientRequest, response: ClientResponse) => void {
  const { now, clientAddress, refusals } = options;
  const checkFirewall = createFirewall({ hot: options.hot, clientAddress });
  const checkApiKey = createApiKeyCheck({ hot: options.hot, now });
  const routeOf = createRouteLookup({ hasAliases: options.hasAliases });
  const handleModelRequest = createModelRequestHandler(options);
  const handleTranscription = createTranscriptionHandler(options);
  const models = createModelsHandler(options);
  const answerUsage = createUsageHandler(options);
  const headOf = ({ requestId }: ProxyState): ResponseHead => ({ requestId, limits: options.limits });

  const app = new Koa<ProxyState>();

  app.use(async function identify(ctx: Context & { state: ProxyState }, next: Next) {
    ctx.respond = false;
    ctx.state.requestId = newRequestId();
    ctx.state.requestedAt = now();
    ctx.state.route = routeOf(ctx.path);
    try {
      await next();
    } catch (error) {
      answerError(ctx, error);
    }
  });

  app.use(function firewall(ctx, next) {
    if (!isPublic(ctx.state.route)) checkFirewall(ctx.req);
    return next();
  });

  app.use(function upgrades({ req, state }, next) {
    // Codex falls back to POST at once on 426, and only after seven tries on anything else (clients.md row 16).
    const isUpgrade = req.headers.upgrade?.toLowerCase() === 'websocket';
    if (isUpgrade && state.route) throw new ProxyError('upgrade_required');
    return next();
  });

  app.use(function apiKey(ctx, next) {
    ctx.state.key = isPublic(ctx.state.route) ? null : checkApiKey(ctx.req);
    return next();
  });

  app.use(function route({ path, method, state }, next) {
    const { route } = state;
    if (!route) throw new ProxyError('not_found', { path: path.slice(0, 200) });
    // Node leaves the body away that HEAD must not have.
    const allowed = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
    if (!allowed.includes(method)) {
      const details = { method, allowed: allowed.join(' or ') };
      throw new ProxyError('method_not_allowed', details, { headers: { allow: allowed.join(', ') } });
    }
    return next();
  });

  app.use(function closed({ state }, next) {
    const reason = options.unavailableReason();
    // What is answered from memory leaves nothing behind that would have to be written down.
    const isRead = state.route?.method === 'GET' && reason !== 'shutting_down';
    if (reason && !isRead) throw new ProxyError(reason, {}, { headers: CLOSED[reason] });
    return next();
  });

  app.use(function answer({ req, res, path, state }) {
    const { route } = state as ProxyState & { route: ProxyRoute };
    switch (route.kind) {
      case 'conversation':
        return handleModelRequest(req, res, { ...state, route });
      case 'transcription':
        return handleTranscription(req, res, { ...state, route });
      case 'models':
        return models.list(res, state, headOf(state));
      case 'model':
        return models.one(res, modelIdIn(path) ?? '', state, headOf(state));
      case 'usage':
        return answerUsage(res, headOf(state));
    }
  });

  function answerError({ req, res, state }: Context & { state: ProxyState }, error: unknown): void {
    if (error instanceof ClientDisconnected) {
      res.destroy();
      return;
    }
    const known = error instanceof ProxyError ? error : new ProxyError('internal_error');
    if (known !== error) options.report(error as Error);
    if (known.code === 'ip_forbidden' || known.code === 'invalid_api_key') {
      refusals.turnedAway(clientAddress(req) ?? 'unknown', known.code);
    }
    // Node reads on to the end of a body that nobody wants. Closing at once would reset the connection of a client that
    // is still sending, and with it the answer.
    sendError(res, known, headOf(state));
  }

  // What `app.callback()` adds, an eye on the end of every answer and a body where there is none, is not needed here and
  // costs as much as all stations together.
  const stations = compose(app.middleware);
  return (request, response) => {
    // Koa asks of a request no more than a plain one has.
    stations(app.createContext(request as IncomingMessage, response as ServerResponse)).catch((error: Error) => {
      options.report(error);
      response.destroy();
    });
  };
}
