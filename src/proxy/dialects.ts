import type { IncomingHttpHeaders } from 'node:http';
import type { ClientResponse } from '../http/client/clientRequest.ts';
import type { ChatCache } from './chat/chatCache.ts';
import { ChatCompletionBuilder } from './chat/chatCompletionBuilder.ts';
import { ChatStreamDelivery } from './chat/chatStreamDelivery.ts';
import { readChatRequest } from './chat/readChatRequest.ts';
import { completeCompaction } from './compact/completeCompaction.ts';
import { readCompactRequest } from './compact/readCompactRequest.ts';
import { eventStream, jsonObject, type ResponseFormat } from './exchange/responseFormats.ts';
import type { Delivery } from './relay/delivery.ts';
import { JsonDelivery } from './relay/jsonDelivery.ts';
import { PassThroughDelivery } from './relay/passThroughDelivery.ts';
import type { ResponseHead } from './relay/responseHead.ts';
import { StreamDelivery } from './relay/streamDelivery.ts';
import type { ModelRequest } from './responses/modelRequest.ts';
import { readResponsesRequest } from './responses/readResponsesRequest.ts';
import type { RecallItem } from './responses/recentItems.ts';
import type { RequestCache } from './responses/requestCache.ts';
import type { Surface } from './responses/schema.ts';
import type { DialectName } from './routes/routes.ts';

/** What reading a request depends on, besides its body. */
export interface ReadOptions {
  readonly headers: IncomingHttpHeaders;
  readonly recall: RecallItem;
  readonly cache: RequestCache;
  readonly chatCache: ChatCache;
}

export interface DeliverOptions extends ResponseHead {
  readonly now: () => number;
  /** Called when the client has caught up. */
  readonly onDrain: () => void;
}

/** How a route reads requests and delivers responses. All other steps are the same for all routes. */
export interface Dialect {
  /** @throws ProxyError `invalid_request_error` */
  read(body: Buffer, options: ReadOptions): ModelRequest;
  deliver(response: ClientResponse, request: ModelRequest, options: DeliverOptions): Delivery;
  /** The form of the provider's response. */
  readonly format: ResponseFormat;
}

/** The dialect of each conversation route, by name. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  svc: { ...responses('svc'), format: eventStream({ dropsVendorEvents: false, remembersItems: false }) },
  v1: { ...responses('v1'), format: eventStream({ dropsVendorEvents: true, remembersItems: true }) },
  chat: {
    read: (body, { headers, chatCache }) => readChatRequest(body, headers, chatCache),
    deliver: deliverChat,
    format: eventStream({ dropsVendorEvents: true, remembersItems: false }),
  },
  svcCompact: compact('svc'),
  v1Compact: compact('v1'),
};

function responses(surface: Surface): Pick<Dialect, 'read' | 'deliver'> {
  return {
    read: (body, { headers, recall, cache }) => readResponsesRequest(body, surface, headers, recall, cache),
    deliver: (response, { wantsStream }, options) =>
      wantsStream ? new StreamDelivery(response, options) : new JsonDelivery(response, options),
  };
}

function compact(surface: Surface): Dialect {
  return {
    read: (body, { headers, recall }) => readCompactRequest(body, surface, headers, recall),
    deliver: (response, _request, options) => new PassThroughDelivery(response, options, completeCompaction),
    format: jsonObject,
  };
}

function deliverChat(
  response: ClientResponse,
  { model, wantsStream, includesUsage = false }: ModelRequest,
  options: DeliverOptions,
): Delivery {
  const { requestId, limits, onHead, now, onDrain } = options;
  const head = { id: chatIdOf(requestId), created: Math.floor(now() / 1_000), model };
  return wantsStream
    ? new ChatStreamDelivery(response, { requestId, limits, onHead, head, includesUsage, now, onDrain })
    : new JsonDelivery(response, options, () => new ChatCompletionBuilder(head));
}

/** The id of a chat completion contains the request id, so that operators can find the request in the log. */
const chatIdOf = (requestId: string): string => `chatcmpl-${requestId.replace(/^req_/, '')}`;
