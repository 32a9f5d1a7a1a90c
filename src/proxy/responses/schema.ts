import { isObject, type JsonObject } from '../body/parseJson.ts';
import { badRequest } from '../proxyError.ts';

/** Which of the two prefixes a request came by; they differ in what is required and in the shape of the answer. */
export type Surface = 'svc' | 'v1';

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
 * Checks only what the specification forbids and what we read ourselves; everything else passes to the provider, because
 * clients send more than any list knows (clients.md section 0).
 * @throws ProxyError `invalid_request_error` with the path of the first failing field
 */
export function checkResponsesRequest(body: JsonObject, surface: Surface): void {
  if (!isString(body.model) || body.model.trim() === '') badRequest('model', 'must be a non-empty string');
  checkInput(body.input);
  optionalString(body.instructions, 'instructions');
  if (surface === 'svc' && !isString(body.instructions) && !leadsWithInstructions(body.input)) {
    badRequest('instructions', 'is required: a string, or a leading developer or system message in input');
  }
  optionalBoolean(body.stream, 'stream');
  optionalBoolean(body.store, 'store');
  if (body.store === true) badRequest('store', 'must be false: answers are not stored');
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

/** Today's Codex sends no `instructions` but a developer message first (clients.md section 0, row 1). */
function leadsWithInstructions(input: unknown): boolean {
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
