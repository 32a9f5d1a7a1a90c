import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { badRequest } from '../../src/proxy/errors/proxyError.ts';
import type { JsonObject } from '../../src/proxy/requestBody/parseJson.ts';
import type { ModelRequest } from '../../src/proxy/responses/modelRequest.ts';
import type { RecallItem } from '../../src/proxy/responses/recentItems.ts';
import type { Surface } from '../../src/proxy/responses/schema.ts';

/**
 * Reads a request in the straightforward way: parses, checks and serializes it. Frozen, and shares no code with the
 * service, so that tests and `npm run bench:envelope` can compare the two. Never used by the service.
 */
export function readWithReference(
  raw: Buffer,
  surface: Surface,
  headers: IncomingHttpHeaders,
  recall: RecallItem,
): ModelRequest {
  const body = parseJsonObject(raw);
  checkResponsesRequest(body, surface);
  const { reasoning, max_output_tokens: maxOutputTokens } = body;
  return {
    model: body.model as string,
    effort: isObject(reasoning) && typeof reasoning.effort === 'string' ? reasoning.effort : null,
    wantsStream: surface === 'svc' || body.stream === true,
    conversationKey: conversationKeyOf(body, headers),
    conversationIds: conversationIdsOf(body),
    bodyBytes: raw.length,
    maxOutputTokens: typeof maxOutputTokens === 'number' ? Math.max(0, Math.ceil(maxOutputTokens)) : null,
    serviceTier: tierOf(body.service_tier),
    upstreamBody: [isForwardable(body) ? raw : Buffer.from(JSON.stringify(toForwardable(body, recall)))],
  };
}

const tierOf = (tier: unknown) =>
  typeof tier === 'string' &&
  !['auto', 'default', 'standard'].includes(tier.toLowerCase()) &&
  /^[a-z][\w-]{0,63}$/i.test(tier)
    ? tier.toLowerCase()
    : null;

/** (docs/clients.md#session-headers) */
const SESSION_HEADERS = ['session-id', 'session_id', 'thread-id', 'thread_id', 'x-session-id', 'x-session-affinity'];

/** Enough to distinguish conversations. */
const MAX_TEXT_LENGTH = 2_048;

function conversationKeyOf(body: JsonObject, headers: IncomingHttpHeaders): ModelRequest['conversationKey'] {
  const { prompt_cache_key: cacheKey } = body;
  if (typeof cacheKey === 'string' && cacheKey.trim() !== '') return { value: cacheKey, source: 'prompt_cache_key' };
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return { value, source: name };
  }
  const { conversation } = body;
  if (typeof conversation === 'string' && conversation !== '') return { value: conversation, source: 'conversation' };
  const text = firstMessageText(body.input);
  return text === undefined ? undefined : { value: text, source: 'first_message' };
}

function conversationIdsOf({ prompt_cache_key: cacheKey, conversation }: JsonObject): string[] {
  const id = isObject(conversation) ? conversation.id : conversation;
  const ids = [typeof cacheKey === 'string' && cacheKey.trim() === '' ? '' : cacheKey, id];
  return ids.filter((named): named is string => typeof named === 'string' && named !== '');
}

/** The first user message, since the instructions before it are the same for all conversations of a client. */
function firstMessageText(input: unknown): string | undefined {
  if (typeof input === 'string') return input.slice(0, MAX_TEXT_LENGTH);
  if (!Array.isArray(input)) return undefined;
  const first = input.find((item) => isObject(item) && item.role === 'user') ?? input[0];
  return first === undefined ? undefined : JSON.stringify(first).slice(0, MAX_TEXT_LENGTH);
}

/** No client nests deeper. Deeper nesting could overflow the stack of the provider's parser or of ours. */
const MAX_DEPTH = 128;

/**
 * Parses a request body.
 * @throws ProxyError `invalid_request_error` for anything but one JSON object in UTF-8, at most `MAX_DEPTH` levels deep
 */
function parseJsonObject(raw: Buffer): JsonObject {
  if (raw.length === 0) badRequest(undefined, 'the request has no body; send a JSON object');
  if (!isUtf8(raw)) badRequest(undefined, 'the body is not valid UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(raw.toString());
  } catch {
    badRequest(undefined, 'the body is not valid JSON');
  }
  if (!isObject(value)) badRequest(undefined, 'the body must be a JSON object');
  if (isDeeperThan(value, MAX_DEPTH)) badRequest(undefined, `the body is nested deeper than ${MAX_DEPTH} levels`);
  return value;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Depth-first. The recursion stops at `levels`, so it cannot overflow the stack. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) if (isDeeperThan((value as JsonObject)[key], levels - 1)) return true;
  return false;
}

const FORBIDDEN_TOOLS: ReadonlySet<unknown> = new Set([
  'file_search',
  'code_interpreter',
  'computer_use',
  'computer_use_preview',
  'image_generation',
]);

const INCLUDABLE: ReadonlySet<unknown> = new Set([
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
  'web_search_call.action.sources',
]);

type Check = (value: unknown, name: string) => void;

const optional =
  (isValid: (value: unknown) => boolean, problem: string): Check =>
  (value, name) => {
    if (value !== undefined && value !== null && !isValid(value)) badRequest(name, problem);
  };
const isString = (value: unknown): value is string => typeof value === 'string';
const optionalString = optional(isString, 'must be a string');
const optionalBoolean = optional((value) => typeof value === 'boolean', 'must be true or false');
const optionalObject = optional(isObject, 'must be an object');

/**
 * Checks only what is forbidden and what the proxy itself reads; everything else passes to the provider, because clients
 * send fields that no list knows (docs/clients.md#unknown-top-level-fields).
 * @throws ProxyError `invalid_request_error` with the path of the first failing field
 */
function checkResponsesRequest(body: JsonObject, surface: Surface): void {
  if (!isString(body.model) || body.model.trim() === '') badRequest('model', 'must be a non-empty string');
  checkInput(body.input);
  optionalString(body.instructions, 'instructions');
  if (surface === 'svc' && !isString(body.instructions) && !startsWithInstructions(body.input)) {
    badRequest('instructions', 'is required: a string, or a leading developer or system message in input');
  }
  optionalBoolean(body.stream, 'stream');
  optionalBoolean(body.store, 'store');
  if (body.store === true) badRequest('store', 'must be false: responses are not stored');
  if (body.previous_response_id !== undefined && body.previous_response_id !== null) {
    badRequest('previous_response_id', 'is not supported: send the whole conversation in input');
  }
  optionalString(body.conversation, 'conversation');
  optionalString(body.prompt_cache_key, 'prompt_cache_key');
  optionalBoolean(body.parallel_tool_calls, 'parallel_tool_calls');
  optional((value) => isString(value) || isObject(value), 'must be a string or an object')(
    body.tool_choice,
    'tool_choice',
  );
  optional(Number.isFinite, 'must be a number')(body.max_output_tokens, 'max_output_tokens');
  optionalObject(body.reasoning, 'reasoning');
  if (isObject(body.reasoning)) {
    optionalString(body.reasoning.effort, 'reasoning.effort');
    optionalString(body.reasoning.summary, 'reasoning.summary');
  }
  optionalObject(body.text, 'text');
  if (isObject(body.text)) {
    optionalString(body.text.verbosity, 'text.verbosity');
    optionalObject(body.text.format, 'text.format');
  }
  checkTools(body.tools, body.tool_choice);
  checkInclude(body.include);
}

function checkInput(input: unknown): void {
  if (isString(input)) return;
  if (!Array.isArray(input)) badRequest('input', 'must be a string or an array of objects');
  for (const [index, item] of input.entries()) if (!isObject(item)) badRequest(`input.${index}`, 'must be an object');
}

/** Codex sends a developer message instead of `instructions` (docs/clients.md#codex-sends-no-instructions). */
function startsWithInstructions(input: unknown): boolean {
  const first: unknown = Array.isArray(input) ? input[0] : undefined;
  return isObject(first) && (first.role === 'developer' || first.role === 'system');
}

function checkTools(tools: unknown, toolChoice: unknown): void {
  const forbidden = (type: unknown, param: string) => {
    if (FORBIDDEN_TOOLS.has(type)) badRequest(param, `'${String(type)}' is not supported`);
  };
  if (isObject(toolChoice)) forbidden(toolChoice.type, 'tool_choice.type');
  if (tools === undefined || tools === null) return;
  if (!Array.isArray(tools)) badRequest('tools', 'must be an array of objects');
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) badRequest(`tools.${index}`, 'must be an object');
    if (!isString(tool.type)) badRequest(`tools.${index}.type`, 'must be a string');
    forbidden(tool.type, `tools.${index}.type`);
  }
}

function checkInclude(include: unknown): void {
  if (include === undefined || include === null) return;
  if (!Array.isArray(include)) badRequest('include', 'must be an array of strings');
  for (const [index, name] of include.entries()) {
    if (!INCLUDABLE.has(name)) badRequest(`include.${index}`, `must be one of ${[...INCLUDABLE].join(', ')}`);
  }
}

/** (docs/provider.md#parameters-that-the-provider-refuses) */
const DROPPED: readonly string[] = [
  'background',
  'frequency_penalty',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'metadata',
  'presence_penalty',
  'prompt_cache_retention',
  'safety_identifier',
  'stream_options',
  'temperature',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
];

/** @returns whether the provider accepts the body unchanged */
function isForwardable(body: JsonObject): boolean {
  if (body.stream !== true || body.store !== false || !Array.isArray(body.input)) return false;
  for (const name of DROPPED) if (name in body) return false;
  for (const item of body.input) if (item.role === 'system' || item.type === 'item_reference') return false;
  return true;
}

/**
 * Makes the body that the provider accepts: streamed, not stored, without refused parameters. A string input becomes one
 * user message, the role `system` becomes `developer`, and a reference is replaced by the item it refers to, or dropped.
 */
function toForwardable(body: JsonObject, recall: RecallItem): JsonObject {
  const forwarded: JsonObject = { ...body, stream: true, store: false, input: forwardableInput(body.input, recall) };
  for (const name of DROPPED) delete forwarded[name];
  return forwarded;
}

function forwardableInput(input: unknown, recall: RecallItem): unknown[] {
  if (!Array.isArray(input)) {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  }
  return input.flatMap((item: unknown) => {
    if (!isObject(item)) return [];
    if (item.role === 'system') return [{ ...item, role: 'developer' }];
    if (item.type !== 'item_reference') return [item];
    const recalled = typeof item.id === 'string' ? recall(item.id) : undefined;
    return recalled === undefined ? [] : [recalled];
  });
}
