/**
 * How the body of `POST /v1/responses` (and its twin below `/backend-api/svc/`) is read.
 *
 * An agent sends its whole conversation again in every turn, often hundreds of kilobytes of which only the last items are
 * new. Parsing all of it for every request would be the largest cost of the proxy, so there are three ways, tried in order:
 *
 * 1. **With a template** (`scanWithTemplate.ts`). A template is an earlier body of the conversation without its `input` and
 *    its long values. If the bytes around those slots are the same again, all other members are valid again too.
 * 2. **By scanning** (`scanBody.ts`). Walks from member to member and checks each one.
 *    Both ways look long values up by their bytes (`ValidatedValueCache`), and skip the items of `input` that an earlier
 *    request started with (`InputCache`). Only what is new is parsed, checked and then remembered (`RequestCache`).
 *    The result is a `ScannedBody`: positions in the original bytes, and the few values that the proxy itself needs.
 *    `rewriteScannedBody.ts` makes the body for the provider out of slices of those bytes.
 * 3. **By parsing** (`parseAndCheck`). The first two ways can only accept a body. A body that they do not support (with
 *    escaped or repeated member names, for instance) or that fails a check is parsed completely and checked against
 *    `schema.ts`, which finds the error for the client. If the body is valid, `rewriteParsedBody.ts` serializes it again,
 *    so that the provider cannot read it differently.
 *
 * All three give the same result: `expectSameAsReference.support.ts` compares them with an independent implementation for
 * arbitrary and for damaged bodies. `npm run bench:envelope` measures them.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { parseJsonObject } from '../requestBody/parseJson.ts';
import { rejectTooManyValues } from '../requestBody/valueLimit.ts';
import { type ConversationKey, conversationKeyFrom, firstMessageKey, readSessionHeader } from './conversationKey.ts';
import { firstMessageText, readFirstMessage } from './firstMessage.ts';
import { type ModelRequest, toModelRequest } from './modelRequest.ts';
import type { RecallItem } from './recentItems.ts';
import type { RequestCache } from './requestCache.ts';
import { rewriteParsedBody } from './rewriteParsedBody.ts';
import { rewriteScannedBody } from './rewriteScannedBody.ts';
import { scanBody } from './scanBody.ts';
import { checkResponsesRequest, type Surface } from './schema.ts';

/** Reads and checks a request. @throws ProxyError `invalid_request_error` */
export function readResponsesRequest(
  raw: Buffer,
  surface: Surface,
  headers: IncomingHttpHeaders,
  recall: RecallItem,
  cache: RequestCache,
): ModelRequest {
  rejectTooManyValues(raw);
  const session = readSessionHeader(headers);
  const hint = session !== undefined && session.value.length <= MAX_HINT_LENGTH ? session.value : cacheKeyNearEnd(raw);
  const scanned = scanBody(raw, cache, hint);
  if (!scanned || (surface === 'svc' && !scanned.hasInstructions)) return parseAndCheck(raw, surface, session, recall);
  const { values, inputStart, firstMessage } = scanned;
  return toModelRequest(raw, surface, values, {
    conversationKey:
      conversationKeyFrom(values, session) ??
      (firstMessage && firstMessageKey(readFirstMessage(raw, inputStart, firstMessage))),
    upstreamBody: rewriteScannedBody(scanned, recall),
  });
}

function parseAndCheck(
  raw: Buffer,
  surface: Surface,
  session: ConversationKey | undefined,
  recall: RecallItem,
): ModelRequest {
  const body = parseJsonObject(raw);
  checkResponsesRequest(body, surface);
  return toModelRequest(raw, surface, body, {
    conversationKey: conversationKeyFrom(body, session) ?? firstMessageKey(firstMessageText(body.input)),
    upstreamBody: [Buffer.from(JSON.stringify(rewriteParsedBody(withExactNumbers(raw.toString(), body), recall)))],
  });
}

/** The client chooses its session header; the cache does not keep longer ones as keys. */
const MAX_HINT_LENGTH = 128;

const CACHE_KEY = Buffer.from('"prompt_cache_key"');

/** Clients without a session header may name the conversation in the body, mostly after `input`. Sufficient for a hint. */
function cacheKeyNearEnd(raw: Buffer): string {
  const end = raw.subarray(Math.max(0, raw.length - 2_048));
  const at = end.lastIndexOf(CACHE_KEY);
  return at < 0 ? '' : end.toString('latin1', at + CACHE_KEY.length, at + CACHE_KEY.length + 64);
}
