import { badRequest } from '../errors/proxyError.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

/** The path prefix of a request. The two differ in what they require and in the default form of the response. */
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

// Bounds of the texts that every event about a request keeps. The longest names in use have less than half.
const MAX_MODEL_CHARACTERS = 200;
const MAX_EFFORT_CHARACTERS = 64;
const MAX_TIER_CHARACTERS = 64;

/** @throws ProxyError `invalid_request_error` */
export type Check = (value: unknown, name: string) => void;

const optional =
  (isValid: (value: unknown) => boolean, problem: string): Check =>
  (value, name) => {
    if (value !== undefined && value !== null && !isValid(value)) badRequest(name, problem);
  };
const isString = (value: unknown): value is string => typeof value === 'string';
const atMost =
  (characters: number): Check =>
  (value, name) => {
    if (!isString(value) || value.length <= characters) return;
    const shortened = value.slice(0, 40).toWellFormed();
    badRequest(name, `must have at most ${characters} characters, but has ${value.length} ("${shortened}...")`);
  };
const optionalString = optional(isString, 'must be a string');
/** @param name of the field on the surface of the request */
export const checkEffortLength: Check = atMost(MAX_EFFORT_CHARACTERS);
const optionalBoolean = optional((value) => typeof value === 'boolean', 'must be true or false');
const optionalObject = optional(isObject, 'must be an object');

/**
 * The checks of a request, in the order in which failures are reported. Each depends on one field only, so that a value
 * that passed once need not be checked again. They cover forbidden values and the fields that the proxy itself reads. All
 * other fields are forwarded, because clients send fields that no list contains (docs/clients.md#unknown-top-level-fields).
 */
export const fieldChecks: readonly (readonly [name: string, check: Check])[] = [
  ['model', checkModel],
  ['model', atMost(MAX_MODEL_CHARACTERS)],
  ['input', checkInput],
  ['instructions', optionalString],
  ['stream', optionalBoolean],
  ['store', optionalBoolean],
  ['store', checkNotStored],
  ['previous_response_id', optional(() => false, 'is not supported: send the whole conversation in input')],
  ['conversation', optionalString],
  ['prompt_cache_key', optionalString],
  ['parallel_tool_calls', optionalBoolean],
  ['tool_choice', optional((value) => isString(value) || isObject(value), 'must be a string or an object')],
  ['max_output_tokens', optional(Number.isFinite, 'must be a number')],
  ['reasoning', checkReasoning],
  ['text', checkText],
  ['tool_choice', checkChosenTool],
  ['tools', checkTools],
  ['include', checkInclude],
  ['service_tier', atMost(MAX_TIER_CHARACTERS)],
];

/** Runs all checks on a parsed body. @throws ProxyError `invalid_request_error` with the path of the first failing field */
export function checkResponsesRequest(body: JsonObject, surface: Surface): void {
  for (const [name, check] of fieldChecks) {
    check(body[name], name);
    if (name !== 'instructions') continue;
    const startsWithInstructions = Array.isArray(body.input) && isInstruction(body.input[0]);
    if (surface === 'svc' && !isString(body.instructions) && !startsWithInstructions) {
      badRequest('instructions', 'is required: a string, or a leading developer or system message in input');
    }
  }
}

/** Codex sends a developer message instead of `instructions` (docs/clients.md#codex-sends-no-instructions). */
export const isInstruction = (first: unknown): boolean =>
  isObject(first) && (first.role === 'developer' || first.role === 'system');

function checkModel(model: unknown): void {
  if (!isString(model) || model.trim() === '') badRequest('model', 'must be a non-empty string');
  checkWellFormed(model, 'model');
}

/** The log cannot store a lone surrogate. */
function checkWellFormed(value: unknown, name: string): void {
  if (isString(value) && !value.isWellFormed()) badRequest(name, 'must be well-formed text');
}

function checkInput(input: unknown): void {
  if (isString(input)) return;
  if (!Array.isArray(input)) badRequest('input', 'must be a string or an array of objects');
  for (const [index, item] of input.entries()) {
    if (!isObject(item)) badRequest(`input.${index}`, 'must be an object');
    checkItem(item, `input.${index}`);
  }
}

function checkNotStored(store: unknown): void {
  if (store === true) badRequest('store', 'must be false: responses are not stored');
}

function checkReasoning(reasoning: unknown): void {
  optionalObject(reasoning, 'reasoning');
  if (!isObject(reasoning)) return;
  optionalString(reasoning.effort, 'reasoning.effort');
  checkWellFormed(reasoning.effort, 'reasoning.effort');
  checkEffortLength(reasoning.effort, 'reasoning.effort');
  optionalString(reasoning.summary, 'reasoning.summary');
}

function checkText(text: unknown): void {
  optionalObject(text, 'text');
  if (!isObject(text)) return;
  optionalString(text.verbosity, 'text.verbosity');
  optionalObject(text.format, 'text.format');
}

function checkSupported(type: unknown, param: string): void {
  if (FORBIDDEN_TOOLS.has(type)) badRequest(param, `'${String(type)}' is not supported`);
}

function checkChosenTool(toolChoice: unknown): void {
  if (!isObject(toolChoice)) return;
  checkSupported(toolChoice.type, 'tool_choice.type');
  checkNestedTools(toolChoice, 'tool_choice');
}

function checkTools(tools: unknown): void {
  if (tools === undefined || tools === null) return;
  if (!Array.isArray(tools)) badRequest('tools', 'must be an array of objects');
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) badRequest(`tools.${index}`, 'must be an object');
    if (!isString(tool.type)) badRequest(`tools.${index}.type`, 'must be a string');
    checkSupported(tool.type, `tools.${index}.type`);
    checkNestedTools(tool, `tools.${index}`);
  }
}

/** Tools can be nested: in a namespace, in a list of allowed tools, in an item of the input. */
function checkNestedTools({ tools }: JsonObject, param: string): void {
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue;
    checkSupported(tool.type, `${param}.tools.${index}.type`);
    checkNestedTools(tool, `${param}.tools.${index}`);
  }
}

/** Codex sends the tools of its newest models as an item (docs/clients.md#input-items-of-every-kind). @throws ProxyError */
export function checkItem(item: JsonObject, param: string): void {
  if (item.type === 'additional_tools') checkNestedTools(item, param);
}

function checkInclude(include: unknown): void {
  if (include === undefined || include === null) return;
  if (!Array.isArray(include)) badRequest('include', 'must be an array of strings');
  for (const [index, name] of include.entries()) {
    if (!INCLUDABLE.has(name)) badRequest(`include.${index}`, `must be one of ${[...INCLUDABLE].join(', ')}`);
  }
}
