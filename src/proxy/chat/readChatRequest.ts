import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../errors/proxyError.ts';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { isObject, type JsonObject, parseJsonObject } from '../requestBody/parseJson.ts';
import { rejectTooManyValues } from '../requestBody/valueLimit.ts';
import { conversationKeyOf } from '../responses/conversationKey.ts';
import { firstMessageText } from '../responses/firstMessage.ts';
import { type ModelRequest, toModelRequest } from '../responses/modelRequest.ts';
import { rewriteParsedBody } from '../responses/rewriteParsedBody.ts';
import { checkResponsesRequest } from '../responses/schema.ts';
import { toResponsesBody } from './toResponsesBody.ts';

/** Reads a chat as the responses request that asks for the same. @throws ProxyError `invalid_request_error` */
export function readChatRequest(raw: Buffer, headers: IncomingHttpHeaders): ModelRequest {
  rejectTooManyValues(raw);
  const body = parseJsonObject(raw);
  const includesUsage = readIncludesUsage(body);
  const maxOutputTokens = readMaxTokens(body);
  const mapped = toResponsesBody(body);
  checkResponsesRequest(mapped, 'v1');
  const exact = withExactNumbers(raw.toString(), body);
  // The one number that decides how a chat is mapped is not passed on.
  const forwarded = exact === body ? mapped : toResponsesBody({ ...exact, n: body.n });
  const asked = { ...mapped, max_output_tokens: maxOutputTokens };
  return {
    ...toModelRequest(raw, 'v1', asked, {
      conversationKey: conversationKeyOf(mapped, headers) ?? firstMessageText(mapped.input),
      upstreamBody: [Buffer.from(JSON.stringify(rewriteParsedBody(forwarded, nothingToRecall)))],
    }),
    includesUsage,
  };
}

/** A chat repeats its messages; it never refers to one. */
const nothingToRecall = () => undefined;

function readIncludesUsage({ stream_options: options }: JsonObject): boolean {
  if (options === undefined || options === null) return false;
  if (!isObject(options)) badRequest('stream_options', 'must be an object');
  const { include_usage: includesUsage } = options;
  if (includesUsage !== undefined && includesUsage !== null && typeof includesUsage !== 'boolean') {
    badRequest('stream_options.include_usage', 'must be true or false');
  }
  return includesUsage === true;
}

/** Reserved for the answer; the newer name wins. */
function readMaxTokens(body: JsonObject): number | undefined {
  for (const name of ['max_completion_tokens', 'max_tokens']) {
    const value = body[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'number') badRequest(name, 'must be a number');
    return value;
  }
  return undefined;
}
