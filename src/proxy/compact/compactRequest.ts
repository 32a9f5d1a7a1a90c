import type { IncomingHttpHeaders } from 'node:http';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { refuseTooManyValues } from '../requestBody/hasTooManyValues.ts';
import { parseJsonObject } from '../requestBody/parseJson.ts';
import { type RecallItem, toCompactable } from '../responses/forwardable.ts';
import { conversationKeyOf, type ModelRequest, modelRequest } from '../responses/modelRequest.ts';
import { openingOf } from '../responses/opening.ts';
import { checkResponsesRequest, type Surface } from '../responses/schema.ts';

/**
 * Reads a conversation that is to be compacted: what is checked, and what the provider would refuse, is the same as when
 * it goes on. Few requests are of this kind, so they are read whole.
 * @throws ProxyError `invalid_request_error`
 */
export function readCompactRequest(
  raw: Buffer,
  surface: Surface,
  headers: IncomingHttpHeaders,
  recall: RecallItem,
): ModelRequest {
  refuseTooManyValues(raw);
  const body = parseJsonObject(raw);
  checkResponsesRequest(body, surface);
  const request = modelRequest(raw, surface, body, {
    conversationKey: conversationKeyOf(body, headers) ?? openingOf(body.input),
    upstreamBody: [Buffer.from(JSON.stringify(toCompactable(withExactNumbers(raw.toString(), body), recall)))],
  });
  return { ...request, wantsStream: false };
}
