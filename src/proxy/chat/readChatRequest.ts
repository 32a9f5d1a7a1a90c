import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, ProxyError } from '../errors/proxyError.ts';
import { copyBytes, copyString } from '../requestBody/bytes.ts';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { isObject, type JsonObject, parseJsonObject, parseObjectText } from '../requestBody/parseJson.ts';
import { rejectTooManyValues } from '../requestBody/valueLimit.ts';
import { conversationKeyOf, firstMessageKey } from '../responses/conversationKey.ts';
import { firstMessageIn, firstMessageText } from '../responses/firstMessage.ts';
import { factsOf, type ModelRequest } from '../responses/modelRequest.ts';
import { rewriteParsedBody } from '../responses/rewriteParsedBody.ts';
import { checkResponsesRequest } from '../responses/schema.ts';
import type { ChatCache } from './chatCache.ts';
import type { ChatShape } from './chatShapes.ts';
import { type LongText, revealed, splitAtMarks, takeOutLongTexts } from './longTexts.ts';
import { toResponsesBody } from './toResponsesBody.ts';

/** Reads a chat completion request as the equivalent responses request. @throws ProxyError `invalid_request_error` */
export function readChatRequest(raw: Buffer, headers: IncomingHttpHeaders, cache: ChatCache): ModelRequest {
  rejectTooManyValues(raw);
  return readWithoutLongTexts(raw, headers, cache) ?? readWhole(raw, headers);
}

/** Parses and serializes the whole body. @throws ProxyError `invalid_request_error` */
export function readWhole(raw: Buffer, headers: IncomingHttpHeaders): ModelRequest {
  const { facts, names, json, firstMessage } = readParsed(parseJsonObject(raw), raw.toString());
  const conversationKey = conversationKeyOf(names, headers) ?? firstMessageKey(firstMessageText([firstMessage]));
  return { ...facts, bodyBytes: raw.length, conversationKey, upstreamBody: [Buffer.from(json)] };
}

/**
 * Reads the body without its long texts, which the provider gets as the client has sent them.
 * @returns undefined when that is not possible; reading the whole body then gives the result or the error
 */
function readWithoutLongTexts(raw: Buffer, headers: IncomingHttpHeaders, cache: ChatCache): ModelRequest | undefined {
  try {
    const without = takeOutLongTexts(raw, cache.texts);
    if (!without) return undefined;
    const { json, texts } = without;
    const shape = cache.shapes.find(json) ?? readShape(json, cache);
    const conversationKey = conversationKeyOf(shape.names, headers) ?? firstMessageKey(firstMessageOf(shape, texts));
    const upstreamBody = shape.body.map((piece) => (typeof piece === 'number' ? escapedText(texts, piece) : piece));
    return { ...shape.facts, bodyBytes: raw.length, conversationKey, upstreamBody };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ProxyError) return undefined;
    throw error;
  }
}

function readShape(markedJson: string, { shapes }: ChatCache): ChatShape {
  const { json, ...read } = readParsed(parseObjectText(markedJson), markedJson);
  const body = splitAtMarks(json).map((piece) => (typeof piece === 'string' ? ownBytes(piece) : piece));
  const first = splitAtMarks(JSON.stringify(read.firstMessage) ?? '');
  const textOfFirstMessage = first.length === 3 ? (first[1] as number) : undefined;
  const shape = { ...read, id: shapes.newId(), body, textOfFirstMessage };
  shapes.remember(markedJson, shape);
  return shape;
}

const escapedText = (texts: readonly LongText[], index: number): Buffer => (texts[index] as LongText).escaped;

/** Encodes a text into memory of its own: a part of Node's pool would keep the rest of it alive. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  return copyBytes(bytes, 0, bytes.length);
}

/** The name of an unnamed conversation. Kept with the text that it mostly consists of, because each turn has it again. */
function firstMessageOf(shape: ChatShape, texts: readonly LongText[]): string | undefined {
  const known = shape.textOfFirstMessage === undefined ? undefined : texts[shape.textOfFirstMessage]?.known;
  if (known?.name?.shapeId === shape.id) return known.name.value;
  const value = firstMessageText([shape.firstMessage], (marked) => revealed(marked, texts));
  if (known && value !== undefined) known.name = { shapeId: shape.id, value: copyString(value) };
  return value;
}

/** @param source the JSON of the body */
function readParsed(body: JsonObject, source: string) {
  const includesUsage = readIncludesUsage(body);
  const maxOutputTokens = readMaxTokens(body);
  const mapped = toResponsesBody(body);
  checkResponsesRequest(mapped, 'v1');
  const exact = withExactNumbers(source, body);
  // `n` decides how the body is mapped, so it must stay a number. It is not forwarded.
  const forwarded = exact === body ? mapped : toResponsesBody({ ...exact, n: body.n });
  const { prompt_cache_key, conversation, input } = mapped;
  return {
    facts: { ...factsOf('v1', { ...mapped, max_output_tokens: maxOutputTokens }), includesUsage },
    names: { prompt_cache_key, conversation },
    json: JSON.stringify(rewriteParsedBody(forwarded, recallNothing)),
    firstMessage: firstMessageIn(input),
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
