import { badRequest } from '../errors/proxyError.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

/** Maps the tool calls of an assistant message to items of the input. @throws ProxyError `invalid_request_error` */
export function readToolCalls(calls: unknown, param: string): JsonObject[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) badRequest(param, 'must be an array of objects');
  return calls.map((call: unknown, index) => readToolCall(call, `${param}.${index}`));
}

function readToolCall(call: unknown, param: string): JsonObject {
  if (!isObject(call)) badRequest(param, 'must be an object');
  const callId = requireText(call.id, `${param}.id`);
  if (call.type === 'custom') {
    const { name, input } = requireObject(call.custom, `${param}.custom`);
    return {
      type: 'custom_tool_call',
      call_id: callId,
      name: requireText(name, `${param}.custom.name`),
      input: requireText(input, `${param}.custom.input`, { mayBeEmpty: true }),
    };
  }
  const { name, arguments: args } = requireObject(call.function, `${param}.function`);
  return {
    type: 'function_call',
    call_id: callId,
    name: requireText(name, `${param}.function.name`),
    arguments: requireText(args, `${param}.function.arguments`, { mayBeEmpty: true }),
  };
}

function requireObject(value: unknown, param: string): JsonObject {
  if (!isObject(value)) badRequest(param, 'must be an object');
  return value;
}

function requireText(value: unknown, param: string, { mayBeEmpty = false } = {}): string {
  if (typeof value !== 'string') badRequest(param, 'must be a string');
  if (value === '' && !mayBeEmpty) badRequest(param, 'must not be empty');
  return value;
}
