import type { Admission } from '../domain/request/events.ts';
import type { ClientRequest, ClientResponse } from '../http/client/clientRequest.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import type { HotState } from '../state/fold/hotState.ts';
import type { AdmissionControl } from './admission/admissionControl.ts';
import { currentKey } from './admission/currentKey.ts';
import { tokensOfText } from './admission/estimate.ts';
import { dialects } from './dialects.ts';
import type { OpenRequests } from './exchange/openRequests.ts';
import type { ResponseHead } from './relay/responseHead.ts';
import { retainedBytes } from './requestBody/bytes.ts';
import { decompress } from './requestBody/decompress.ts';
import type { MemoryBudget } from './requestBody/memoryBudget.ts';
import { ClientDisconnected, readBody } from './requestBody/readBody.ts';
import type { ModelRequest } from './responses/modelRequest.ts';
import type { RecentItems } from './responses/recentItems.ts';
import { RequestCache } from './responses/requestCache.ts';
import type { RoutedState } from './routes/proxyState.ts';
import type { ConversationRoute } from './routes/routes.ts';

/** What the proxy remembers of conversations. */
export interface Conversations {
  readonly recentItems: RecentItems;
  /** Digest of a client's conversation key, which the log uses as its name. */
  readonly pinDigest: (client: string, conversationKey: string) => string;
}

export interface ModelRequestServices {
  readonly hot: HotState;
  readonly admissionControl: AdmissionControl;
  readonly conversations: Conversations;
  readonly memoryBudget: MemoryBudget;
  readonly openRequests: OpenRequests;
  readonly limits: ResponseHead['limits'];
  readonly now: () => number;
}

const MAX_BODY_BYTES = 32 * 1_048_576;
const MAX_DECODED_BYTES = 128 * 1_048_576;

/** Each may take `MAX_DECODED_BYTES`. */
const MAX_CONCURRENT_DECODERS = 4;

/** Takes a request from an identified client to its first attempt: reads, checks and admits it. */
export function createModelRequestHandler(services: ModelRequestServices) {
  const { hot, now, limits, admissionControl, conversations, memoryBudget, openRequests } = services;
  const decoders = createSemaphore(MAX_CONCURRENT_DECODERS);
  const cache = new RequestCache();

  return async (
    request: ClientRequest,
    response: ClientResponse,
    state: RoutedState<ConversationRoute>,
  ): Promise<void> => {
    const { requestId, requestedAt, key, route } = state;
    const dialect = dialects[route.dialect];
    const client = key?.id ?? 'anonymous';
    let model: ModelRequest | undefined;
    let admission: Admission | undefined;
    const share = memoryBudget.createShare();
    try {
      share.open();
      const raw = await readBody(request, MAX_BODY_BYTES, share);
      const encoding = request.headers['content-encoding'];
      const body =
        encoding === undefined ? raw : await decoders(() => decompress(raw, encoding, MAX_DECODED_BYTES, share));
      const recall = (id: string) => conversations.recentItems.recall(client, id);
      model = dialect.read(body, { headers: request.headers, recall, cache });
      // From here on the share covers the body for the provider instead of the one received.
      share.release(body.length - retainedBytes(model.upstreamBody, body));
      // Spelled out instead of spread, because this runs for every request.
      admission = admissionControl.admit({
        requestId,
        key: currentKey(hot, key),
        model: model.model,
        inputTokens: tokensOfText(model.bodyBytes),
        maxOutputTokens: model.maxOutputTokens,
        serviceTier: model.serviceTier,
        requestedAt,
      });
      if (response.destroyed) throw new ClientDisconnected();
    } catch (error) {
      share.close();
      await admissionControl.refuse(error, state, model);
      throw error;
    }
    const isSticky = hot.settings.stickyThreadsEnabled && model.conversationKey !== undefined;
    const delivery = dialect.deliver(response, model, { requestId, limits, now, onDrain: () => exchange.onDrain() });
    const exchange = openRequests.add(
      {
        requestId,
        key,
        route: route.path,
        model: model.model,
        effort: model.effort,
        serviceTier: model.serviceTier,
        requestedAt,
        admission,
        pin: isSticky ? conversations.pinDigest(client, model.conversationKey as string) : undefined,
        inputTokens: tokensOfText(model.bodyBytes),
        upstreamPath: route.upstream,
        upstreamBody: model.upstreamBody,
        share,
        format: dialect.format,
        clientHeaders: request.rawHeaders,
      },
      delivery,
    );
    response.once('close', () => exchange.onClientDisconnect());
    exchange.start();
  };
}
