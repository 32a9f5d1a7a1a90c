import type { ClientRequest, ClientResponse } from '../http/client/clientRequest.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import type { HotState } from '../state/fold/hotState.ts';
import type { AdmissionControl, Admitted } from './admission/admissionControl.ts';
import type { Callers } from './admission/callers.ts';
import { tokensOfText } from './admission/estimate.ts';
import { ChatCache } from './chat/chatCache.ts';
import { dialects } from './dialects.ts';
import type { OpenRequests } from './exchange/openRequests.ts';
import type { ResponseHead } from './relay/responseHead.ts';
import { retainedBytes } from './requestBody/bytes.ts';
import { decompress } from './requestBody/decompress.ts';
import type { MemoryBudget } from './requestBody/memoryBudget.ts';
import { ClientDisconnected, readBody } from './requestBody/readBody.ts';
import { admitRequest, clientOf, type Pins, pinOf } from './requests/admitRequest.ts';
import { lacksSessionHeader } from './responses/conversationKey.ts';
import type { ModelRequest } from './responses/modelRequest.ts';
import type { RecentItems } from './responses/recentItems.ts';
import { RequestCache } from './responses/requestCache.ts';
import type { RoutedState } from './routes/proxyState.ts';
import type { ConversationRoute } from './routes/routes.ts';

/** What the proxy remembers about conversations. */
export interface Conversations extends Pins {
  readonly recentItems: RecentItems;
}

/** What handling model requests needs. */
export interface ModelRequestServices {
  readonly hot: HotState;
  readonly admissionControl: AdmissionControl;
  readonly callers: Callers;
  readonly conversations: Conversations;
  readonly memoryBudget: MemoryBudget;
  readonly openRequests: OpenRequests;
  readonly limits: ResponseHead['limits'];
  readonly now: () => number;
}

const MAX_BODY_BYTES = 32 * 1_048_576;
const MAX_DECODED_BYTES = 128 * 1_048_576;

/** Each may use up to `MAX_DECODED_BYTES`. */
const MAX_CONCURRENT_DECODERS = 4;

/**
 * Creates the handler of model requests: it reads, checks and admits the request of an identified client and starts its
 * exchange. The handler throws a ProxyError, or ClientDisconnected, for a request that it does not admit.
 */
export function createModelRequestHandler(services: ModelRequestServices) {
  const { hot, now, limits, admissionControl, callers, conversations, memoryBudget, openRequests } = services;
  const limitDecoders = createSemaphore(MAX_CONCURRENT_DECODERS);
  const cache = new RequestCache();
  const chatCache = new ChatCache();

  return async (
    request: ClientRequest,
    response: ClientResponse,
    state: RoutedState<ConversationRoute>,
  ): Promise<void> => {
    const { requestId, requestedAt, key, route, trace } = state;
    const dialect = dialects[route.dialect];
    const client = clientOf(key);
    // Before the body: a connection that is closed has no address.
    const caller = callers.callerOf(request, key?.id ?? null);
    let modelRequest: ModelRequest | undefined;
    let admitted: Admitted | undefined;
    const share = memoryBudget.createShare();
    try {
      share.open();
      const raw = await readBody(request, MAX_BODY_BYTES, share);
      const encoding = request.headers['content-encoding'];
      const body =
        encoding === undefined ? raw : await limitDecoders(() => decompress(raw, encoding, MAX_DECODED_BYTES, share));
      const recall = (id: string) => conversations.recentItems.recall(client, id);
      modelRequest = dialect.read(body, { headers: request.headers, recall, cache, chatCache });
      state.model = modelRequest.model;
      // From here on the share covers the body for the provider instead of the one received.
      share.release(body.length - retainedBytes(modelRequest.upstreamBody, body));
      admitted = admitRequest(services, state, modelRequest, tokensOfText(modelRequest.bodyBytes));
      if (response.destroyed) throw new ClientDisconnected();
    } catch (error) {
      share.close();
      const named = callers.conversationsOf(request, modelRequest?.conversationIds ?? []);
      await admissionControl.refuse(error, { ...state, caller, conversations: named }, modelRequest);
      throw error;
    }
    const { conversationKey } = modelRequest;
    const isSticky = hot.settings.stickyThreadsEnabled && conversationKey !== undefined;
    const delivery = dialect.deliver(response, modelRequest, {
      requestId,
      limits,
      onHead: state.onHead,
      now,
      onDrain: () => exchange.onDrain(),
    });
    const exchange = openRequests.add(
      {
        requestId,
        key,
        route: route.path,
        model: modelRequest.model,
        effort: modelRequest.effort,
        serviceTier: modelRequest.serviceTier,
        requestedAt,
        admission: admitted?.admission,
        meter: admitted?.meter,
        caller,
        trace,
        conversations: callers.conversationsOf(request, modelRequest.conversationIds),
        pin: isSticky ? pinOf(conversations, client, conversationKey) : undefined,
        inputTokens: tokensOfText(modelRequest.bodyBytes),
        upstreamPath: route.upstreamPath,
        upstreamBody: modelRequest.upstreamBody,
        share,
        format: dialect.format,
        clientHeaders: request.rawHeaders,
        sessionId:
          conversationKey !== undefined && lacksSessionHeader(conversationKey, request.headers)
            ? conversations.sessionId(client, conversationKey.value)
            : undefined,
      },
      delivery,
    );
    response.once('close', () => exchange.onClientDisconnect());
    exchange.start();
  };
}
