import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../errors/proxyError.ts';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { isObject, type JsonObject, parseJsonObject } from '../requestBody/parseJson.ts';
import { rejectTooManyValues } from '../requestBody/valueLimit.ts';
import { conversationKeyOf, firstMessageKey } from '../responses/conversationKey.ts';
import { firstMessageText } from '../responses/firstMessage.ts';
import { type ModelRequest, toModelRequest } from '../responses/modelRequest.ts';
import { rewriteParsedBody } from '../responses/rewriteParsedBody.ts';
import { checkResponsesRequest } from '../responses/schema.ts';
import { toResponsesBody } from './toResponsesBody.ts';

/** Reads a chat completion request as the equivalent responses request. @throws ProxyError `invalid_request_error` */
export function readChatRequest(raw: Buffer, headers: IncomingHttpHeaders): ModelRequest {
  rejectTooManyValues(raw);
  const body = parseJsonObject(raw);
  const includesUsage = readIncludesUsage(body);
  const maxOutputTokens = readMaxTokens(body);
  const mapped = toResponsesBody(body);
  checkResponsesRequest(mapped, 'v1');
  const exact = withExactNumbers(raw.toString(), body);
  // `n` decides how the body is mapped, so it must stay a number. It is not forwarded.
  const forwarded = exact === body ? mapped : toResponsesBody({ ...exact, n: body.n });
  const withMaxOutputTokens = { ...mapped, max_output_tokens: maxOutputTokens };
  return {
    ...toModelRequest(raw, 'v1', withMaxOutputTokens, {
      conversationKey: conversationKeyOf(mapped, headers) ?? firstMessageKey(firstMessageText(mapped.input)),
      upstreamBody: [Buffer.from(JSON.stringify(rewriteParsedBody(forwarded, recallNothing)))],
    }),
    includesUsage,
  };
}

/** Chat messages contain no references to earlier items. */
const recallNothing = () => undefined;

function readIncludesUsage({ stream_options: options }: JsonObject): boolean {
  if (options === undefined || options === null) return false;
  if (!isObject(options)) badRequest('stream_options', 'must be an object');
  const { include_usage: includesUsage } = options;
  if (includesUsage !== undefined && includesUsage !== null && typeof includesUsage !== 'boolean') {
    badRequest('stream_options.include_usage', 'must be true or false');
  }
  return includesUsage === true;
}

/** Used to reserve tokens; the newer name takes precedence. */
function readMaxTokens(body: JsonObject): number | undefined {
  for (const name of ['max_completion_tokens', 'max_tokens']) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'number') badRequest(name, 'must be a number');
    return value;
  }
  return undefined;
}
