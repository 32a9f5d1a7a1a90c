import type { Admission } from '../domain/request/events.ts';
import type { ClientRequest, ClientResponse } from '../http/client/client.ts';
import { createSemaphore } from '../lib/semaphore.ts';
import { type AdmissionOptions, createAdmission } from './admission/admission.ts';
import { currentKey } from './admission/currentKey.ts';
import { tokensOfText } from './admission/estimate.ts';
import { createPinDigest } from './admission/pinDigest.ts';
import { createRecordRefusal } from './admission/recordRefusal.ts';
import type { Refusals } from './admission/refusals.ts';
import type { ProxyState } from './app.ts';
import { dialects } from './dialects.ts';
import { Exchange } from './exchange/exchange.ts';
import type { ExchangeServices } from './exchange/exchangeServices.ts';
import type { OpenRequests } from './exchange/openRequests.ts';
import type { ResponseHead } from './relay/responseHead.ts';
import { retainedBytes } from './requestBody/bytes.ts';
import { decompress } from './requestBody/decompress.ts';
import type { MemoryBudget } from './requestBody/memoryBudget.ts';
import { ClientDisconnected, readBody } from './requestBody/readBody.ts';
import type { ModelRequest } from './responses/modelRequest.ts';
import type { RecentItems } from './responses/recentItems.ts';
import { RequestCache } from './responses/requestCache.ts';
import type { ConversationRoute } from './routes.ts';

export interface ModelRequestServices extends ExchangeServices, Omit<AdmissionOptions, 'hot'> {
  readonly openRequests: OpenRequests;
  readonly refusals: Refusals;
  readonly recentItems: RecentItems;
  readonly requestCache?: RequestCache;
  readonly memoryBudget: MemoryBudget;
  readonly limits: ResponseHead['limits'];
  /** HMAC under the installation's key. */
  readonly pinDigest: (value: string) => string;
  /** Path of the provider's base, e.g. `/backend-api`. */
  readonly upstreamBasePath: string;
}

const MAX_BODY_BYTES = 32 * 1_048_576;
const MAX_DECODED_BYTES = 128 * 1_048_576;

const DECODING_AT_ONCE = 4;

type KnownRoute = ProxyState & { readonly route: ConversationRoute };

/** Everything between a known client and the first attempt: read, check, admit, then hand over to the exchange. */
export function createModelRequestHandler(services: ModelRequestServices) {
  const { hot, now, limits, memoryBudget } = services;
  const admit = createAdmission(services);
  const recordRefusal = createRecordRefusal(services);
  const pinDigest = createPinDigest(services.pinDigest);
  // Each may take its 128 MiB, so that only a few may be decoded at the same time.
  const inSlot = createSemaphore(DECODING_AT_ONCE);
  const memory = services.requestCache ?? new RequestCache();

  return async (request: ClientRequest, response: ClientResponse, state: KnownRoute): Promise<void> => {
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
        encoding === undefined ? raw : await inSlot(() => decompress(raw, encoding, MAX_DECODED_BYTES, share));
      const recall = (id: string) => services.recentItems.recall(client, id);
      model = dialect.read(body, { headers: request.headers, recall, memory });
      // What is sent on is held from here on, in place of what came.
      share.release(body.length - retainedBytes(model.upstreamBody, body));
      const current = currentKey(hot, key);
      // Spelled out instead of spread: this runs for every request.
      admission = admit({
        requestId,
        key: current,
        model: model.model,
        inputTokens: tokensOfText(model.bodyBytes),
        maxOutputTokens: model.maxOutputTokens,
        serviceTier: model.serviceTier,
        requestedAt,
      });
      if (response.destroyed) throw new ClientDisconnected();
    } catch (error) {
      share.close();
      services.ledger.release(requestId);
      await recordRefusal(error, state, model);
      throw error;
    }
    const isSticky = hot.settings.stickyThreadsEnabled && model.conversationKey !== undefined;
    const delivery = dialect.deliver(response, model, { requestId, limits, now, onDrain: () => exchange.onDrain() });
    const exchange = new Exchange(
      {
        requestId,
        key,
        route: route.path,
        model: model.model,
        effort: model.effort,
        serviceTier: model.serviceTier,
        requestedAt,
        admission,
        pin: isSticky ? pinDigest(client, model.conversationKey as string) : undefined,
        inputTokens: tokensOfText(model.bodyBytes),
        upstreamPath: services.upstreamBasePath + route.upstream,
        upstreamBody: model.upstreamBody,
        share,
        answer: dialect.answer,
        clientHeaders: request.rawHeaders,
      },
      delivery,
      services,
    );
    services.openRequests.add(exchange);
    response.once('close', () => exchange.clientGone());
    exchange.start();
  };
}
