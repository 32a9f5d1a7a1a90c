import { badRequest } from '../errors/proxyError.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import { checkEffortLength } from '../responses/schema.ts';
import { readMessages } from './readMessages.ts';
import { readResponseFormat } from './readResponseFormat.ts';
import { readToolChoice, readTools } from './readTools.ts';

/**
 * Fields of the chat API that are not forwarded: they are mapped, or the provider has no equivalent. All other fields are
 * forwarded (docs/decisions/0041-request-fields.md).
 */
const CHAT_ONLY = [
  'audio',
  'logit_bias',
  'logprobs',
  'messages',
  'modalities',
  'n',
  'prediction',
  'reasoning_effort',
  'response_format',
  'seed',
  'stop',
  'store',
  'verbosity',
  'web_search_options',
];

/**
 * Maps a chat completion request to the equivalent responses request (docs/provider.md#chat-completions-as-responses).
 * Sampling parameters are not removed here but by `rewriteParsedBody`.
 * @throws ProxyError `invalid_request_error` with the path of the first failing field
 */
export function toResponsesBody(body: JsonObject): JsonObject {
  refuseUnsupported(body);
  const format = readResponseFormat(body.response_format);
  const { instructions, input } = readMessages(body.messages, {
    needsInstructionsInInput: format?.type === 'json_object',
  });
  const mapped: JsonObject = {
    ...body,
    instructions,
    input,
    tools: readTools(body.tools, body.web_search_options),
    tool_choice: readToolChoice(body.tool_choice),
    reasoning: readReasoning(body),
    text: readTextOptions(body, format),
    include: readInclude(body),
  };
  // JSON has no undefined members. Deleting them would make every later access to the object slower.
  for (const name of CHAT_ONLY) if (mapped[name] !== undefined) mapped[name] = undefined;
  return mapped;
}

function refuseUnsupported({ n, modalities, functions, function_call: call }: JsonObject): void {
  if (n !== undefined && n !== null && n !== 1) badRequest('n', 'must be 1: a request gets one choice');
  if (Array.isArray(modalities) && modalities.includes('audio')) {
    badRequest('modalities', "must not contain 'audio': responses are text");
  }
  if (functions !== undefined && functions !== null) badRequest('functions', 'is not supported: send tools');
  if (call !== undefined && call !== null) badRequest('function_call', 'is not supported: send tool_choice');
}

function readReasoning({ reasoning, reasoning_effort: effort }: JsonObject): unknown {
  if (effort === undefined || effort === null) return reasoning;
  if (typeof effort !== 'string' || !effort.isWellFormed()) badRequest('reasoning_effort', 'must be a string');
  checkEffortLength(effort, 'reasoning_effort');
  if (reasoning === undefined || reasoning === null) return { effort };
  return isObject(reasoning) ? { effort, ...reasoning } : reasoning;
}

function readTextOptions({ text, verbosity }: JsonObject, format: JsonObject | undefined): unknown {
  if (verbosity !== undefined && verbosity !== null && typeof verbosity !== 'string') {
    badRequest('verbosity', 'must be a string');
  }
  const mapped = { ...(format && { format }), ...(typeof verbosity === 'string' && { verbosity }) };
  if (Object.keys(mapped).length === 0) return text;
  return text === undefined || text === null ? mapped : isObject(text) ? { ...mapped, ...text } : text;
}

const LOGPROBS = 'message.output_text.logprobs';

function readInclude({ include, logprobs }: JsonObject): unknown {
  if (logprobs !== undefined && logprobs !== null && typeof logprobs !== 'boolean') {
    badRequest('logprobs', 'must be true or false');
  }
  if (logprobs !== true) return include;
  if (include === undefined || include === null) return [LOGPROBS];
  return Array.isArray(include) && !include.includes(LOGPROBS) ? [...include, LOGPROBS] : include;
}
