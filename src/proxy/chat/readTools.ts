import { badRequest } from '../errors/proxyError.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

/** The provider's web search tool, and its former name. */
const WEB_SEARCH = 'web_search';
const OLD_WEB_SEARCH = 'web_search_preview';

const NO_PARAMETERS = { type: 'object', properties: {} };

/**
 * Unwraps the tools of the chat API. Forwards other tools unchanged; the checks of `/v1/responses` apply to them.
 * @throws ProxyError `invalid_request_error`
 */
export function readTools(tools: unknown, searchOptions: unknown): unknown {
  const search = readSearchOptions(searchOptions);
  if (tools === undefined || tools === null) return search && [search];
  if (!Array.isArray(tools)) return tools;
  return [...tools.map((tool: unknown, index) => readTool(tool, `tools.${index}`)), ...(search ? [search] : [])];
}

function readTool(tool: unknown, param: string): unknown {
  if (!isObject(tool)) return tool;
  if (tool.type === OLD_WEB_SEARCH) return { ...tool, type: WEB_SEARCH };
  if (tool.type === 'custom' && isObject(tool.custom)) return readCustomTool(tool.custom, `${param}.custom`);
  // Some clients also send the flat functions of the responses API to this endpoint.
  if (tool.type !== 'function' || (tool.function === undefined && typeof tool.name === 'string')) return tool;
  if (!isObject(tool.function)) badRequest(`${param}.function`, 'must be an object');
  const { name, description, parameters, strict } = tool.function;
  return {
    type: 'function',
    name: requireName(name, `${param}.function`),
    ...(typeof description === 'string' && { description }),
    parameters: parameters ?? NO_PARAMETERS,
    // The default is false in the chat API, but true in the responses API.
    strict: strict ?? false,
  };
}

function readCustomTool({ name, description, format }: JsonObject, param: string): JsonObject {
  const grammar = isObject(format) && isObject(format.grammar) ? { type: format.type, ...format.grammar } : format;
  return {
    type: 'custom',
    name: requireName(name, param),
    ...(typeof description === 'string' && { description }),
    ...(grammar !== undefined && { format: grammar }),
  };
}

/** `web_search_options` becomes a tool. */
function readSearchOptions(options: unknown): JsonObject | undefined {
  if (options === undefined || options === null) return undefined;
  if (!isObject(options)) badRequest('web_search_options', 'must be an object');
  const { search_context_size: size, user_location: location } = options;
  const { approximate } = isObject(location) ? location : {};
  return {
    type: WEB_SEARCH,
    ...(size !== undefined && { search_context_size: size }),
    ...(isObject(approximate) && { user_location: { type: 'approximate', ...approximate } }),
  };
}

/** Unwraps the tool choice of the chat API. @throws ProxyError `invalid_request_error` */
export function readToolChoice(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  if (choice.type === 'allowed_tools') {
    const { mode, tools } = isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
    if (!Array.isArray(tools)) badRequest('tool_choice.allowed_tools.tools', 'must be an array of objects');
    const allowed = tools.map((tool: unknown, index) =>
      readChosenTool(tool, `tool_choice.allowed_tools.tools.${index}`),
    );
    return { type: 'allowed_tools', mode, tools: allowed };
  }
  return readChosenTool(choice, 'tool_choice');
}

function readChosenTool(tool: unknown, param: string): unknown {
  if (!isObject(tool)) return tool;
  if (tool.type === OLD_WEB_SEARCH) return { ...tool, type: WEB_SEARCH };
  const isWrapped = tool.type === 'function' || tool.type === 'custom';
  if (!isWrapped || typeof tool.name === 'string') return tool;
  const wrapper = String(tool.type);
  const { name } = isObject(tool[wrapper]) ? tool[wrapper] : {};
  return { type: tool.type, name: requireName(name, `${param}.${wrapper}`) };
}

function requireName(name: unknown, param: string): string {
  if (typeof name !== 'string' || name === '') badRequest(`${param}.name`, 'must be a non-empty string');
  return name;
}
