import type { IncomingHttpHeaders } from 'node:http';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { parseJsonObject } from '../requestBody/parseJson.ts';
import { rejectTooManyValues } from '../requestBody/valueLimit.ts';
import { conversationKeyOf, firstMessageKey } from '../responses/conversationKey.ts';
import { firstMessageText } from '../responses/firstMessage.ts';
import { type ModelRequest, toModelRequest } from '../responses/modelRequest.ts';
import type { RecallItem } from '../responses/recentItems.ts';
import { rewriteForCompaction } from '../responses/rewriteParsedBody.ts';
import { checkResponsesRequest, type Surface } from '../responses/schema.ts';

/**
 * Reads a request to compact a conversation, with the same checks and rewriting as `readResponsesRequest`. Always parses
 * the complete body, because these requests are rare.
 * @throws ProxyError `invalid_request_error`
 */
export function readCompactRequest(
  raw: Buffer,
  surface: Surface,
  headers: IncomingHttpHeaders,
  recall: RecallItem,
): ModelRequest {
  rejectTooManyValues(raw);
  const body = parseJsonObject(raw);
  checkResponsesRequest(body, surface);
  const request = toModelRequest(raw, surface, body, {
    conversationKey: conversationKeyOf(body, headers) ?? firstMessageKey(firstMessageText(body.input)),
    upstreamBody: [Buffer.from(JSON.stringify(rewriteForCompaction(withExactNumbers(raw.toString(), body), recall)))],
  });
  return { ...request, wantsStream: false };
}
