import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../errors/proxyError.ts';
import { withExactNumbers } from '../requestBody/exactNumbers.ts';
import { isObject, type JsonObject, parseJsonObject } from '../requestBody/parseJson.ts';
import { rejectTooManyValues } from '../requestBody/valueLimit.ts';
import { conversationKeyOf } from '../responses/conversationKey.ts';
import { type ModelRequest, toModelRequest } from '../responses/modelRequest.ts';
import type { RecallItem } from '../responses/recentItems.ts';
import { rewriteParsedBody, UNSUPPORTED_PARAMETERS } from '../responses/rewriteParsedBody.ts';
import { checkResponsesRequest, type Surface } from '../responses/schema.ts';

/** What a request asks for: a turn of the conversation, to warm the cache up, or a summary of the conversation. */
export type CreateKind = 'turn' | 'prewarm' | 'compaction';

/** A checked `response.create`. */
export interface Create {
  readonly request: ModelRequest;
  readonly kind: CreateKind;
  /** The response that it continues: the provider has what came before. */
  readonly previousResponseId: string | undefined;
  /** An empty prewarm can be left out of a conversation. */
  readonly hasEmptyInput: boolean;
  /** The same request for another socket: without what belongs to the socket before, or to its account. */
  readonly detached: () => readonly Buffer[];
}

export interface ReadCreateOptions {
  readonly surface: Surface;
  /** Of the upgrade. */
  readonly headers: IncomingHttpHeaders;
  readonly recall: RecallItem;
}

/** Belongs to the account that gave it. */
const TURN_STATE = 'x-codex-turn-state';

/**
 * Reads a `response.create`: the body of a request over HTTP with a `type`, and with the id of the response that it continues.
 * Always parses all of it, because nearly every one has only what is new.
 * @throws ProxyError `invalid_request_error`
 */
export function readCreate(raw: Buffer, { surface, headers, recall }: ReadCreateOptions): Create {
  rejectTooManyValues(raw);
  const body = parseJsonObject(raw);
  const { type, previous_response_id: previous, generate, stream_id: lane, background, ...rest } = body;
  if (type !== 'response.create') badRequest('type', 'must be response.create');
  if (previous !== undefined && previous !== null && typeof previous !== 'string')
    badRequest('previous_response_id', 'must be a string');
  if (generate !== undefined && typeof generate !== 'boolean') badRequest('generate', 'must be true or false');
  if (lane !== undefined && lane !== null)
    badRequest('stream_id', 'is not supported: open a websocket for each conversation');
  if (background === true) badRequest('background', 'is not supported');
  const previousResponseId = typeof previous === 'string' ? previous : undefined;
  checkResponsesRequest(rest, needsInstructions(surface, previousResponseId, generate) ? 'svc' : 'v1');
  const rewritten = () => rewriteParsedBody(withExactNumbers(raw.toString(), body), recall);
  const continuing = previousResponseId !== undefined && { previous_response_id: previousResponseId };
  const upstreamBody = isForwardable(body) ? [raw] : serialize({ ...rewritten(), ...continuing });
  return {
    request: {
      ...toModelRequest(raw, surface, rest, { conversationKey: conversationKeyOf(rest, headers), upstreamBody }),
      wantsStream: true,
    },
    kind: kindOf(body),
    previousResponseId,
    hasEmptyInput: Array.isArray(body.input) && body.input.length === 0,
    detached: () => serialize(withoutTurnState(rewritten())),
  };
}

const serialize = (body: JsonObject): readonly Buffer[] => [Buffer.from(JSON.stringify(body))];

function withoutTurnState({ client_metadata: given, ...body }: JsonObject): JsonObject {
  if (!isObject(given)) return given === undefined ? body : { ...body, client_metadata: given };
  const { [TURN_STATE]: _, ...metadata } = given;
  return { ...body, client_metadata: metadata };
}

/** What continues a response, and what only warms the cache up, may leave the instructions out. */
const needsInstructions = (surface: Surface, previous: string | undefined, generate: unknown): boolean =>
  surface === 'svc' && previous === undefined && generate !== false;

/** Whether the provider gets the frame as the client sent it. */
function isForwardable(body: JsonObject): boolean {
  if (body.stream !== true || body.store !== false || !Array.isArray(body.input)) return false;
  const isUnsupported = (name: string) => name !== 'previous_response_id' && name in body;
  if (UNSUPPORTED_PARAMETERS.some(isUnsupported)) return false;
  return body.input.every((item) => isObject(item) && item.role !== 'system' && item.type !== 'item_reference');
}

function kindOf({ generate, input }: JsonObject): CreateKind {
  if (generate === false) return 'prewarm';
  const last = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === 'compaction_trigger' ? 'compaction' : 'turn';
}
