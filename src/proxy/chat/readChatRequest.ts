import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, ProxyError } from '../errors/proxyError.ts';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { isObject, type JsonObject, parseJsonObject, parseObjectText } from '../requestBody/parseJson.ts';
import { rejectTooManyValues } from '../requestBody/valueLimit.ts';
import { conversationKeyOf, firstMessageKey } from '../responses/conversationKey.ts';
import { firstMessageText } from '../responses/firstMessage.ts';
import { type ModelRequest, toModelRequest } from '../responses/modelRequest.ts';
import { rewriteParsedBody } from '../responses/rewriteParsedBody.ts';
import { checkResponsesRequest } from '../responses/schema.ts';
import { takeOutLongTexts, type WithoutLongTexts } from './longTexts.ts';
import { toResponsesBody } from './toResponsesBody.ts';

/** Reads a chat completion request as the equivalent responses request. @throws ProxyError `invalid_request_error` */
export function readChatRequest(raw: Buffer, headers: IncomingHttpHeaders): ModelRequest {
  rejectTooManyValues(raw);
  return readWithoutLongTexts(raw, headers) ?? readWhole(raw, headers);
}

/** Parses and serializes the whole body. @throws ProxyError `invalid_request_error` */
export const readWhole = (raw: Buffer, headers: IncomingHttpHeaders): ModelRequest =>
  readBody(raw, headers, { body: parseJsonObject(raw) });

/**
 * Reads the body without its long texts, which the provider gets as the client has sent them.
 * @returns undefined when that is not possible; reading the whole body then gives the result or the error
 */
function readWithoutLongTexts(raw: Buffer, headers: IncomingHttpHeaders): ModelRequest | undefined {
  try {
    const texts = takeOutLongTexts(raw);
    return texts && readBody(raw, headers, { body: parseObjectText(texts.json), texts });
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ProxyError) return undefined;
    throw error;
  }
}

/** @param parsed.texts what was taken out of the body before it was parsed */
function readBody(
  raw: Buffer,
  headers: IncomingHttpHeaders,
  { body, texts }: { body: JsonObject; texts?: WithoutLongTexts },
): ModelRequest {
  const includesUsage = readIncludesUsage(body);
  const maxOutputTokens = readMaxTokens(body);
  const mapped = toResponsesBody(body);
  checkResponsesRequest(mapped, 'v1');
  const exact = withExactNumbers(texts?.json ?? raw.toString(), body);
  // `n` decides how the body is mapped, so it must stay a number. It is not forwarded.
  const forwarded = exact === body ? mapped : toResponsesBody({ ...exact, n: body.n });
  const withMaxOutputTokens = { ...mapped, max_output_tokens: maxOutputTokens };
  const json = JSON.stringify(rewriteParsedBody(forwarded, recallNothing));
  return {
    ...toModelRequest(raw, 'v1', withMaxOutputTokens, {
      conversationKey:
        conversationKeyOf(mapped, headers) ?? firstMessageKey(firstMessageText(mapped.input, texts?.reveal)),
      upstreamBody: texts ? texts.restore(json) : [Buffer.from(json)],
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
