import { badRequest } from '../errors/proxyError.ts';
import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import { partsOf, readContent, readTextContent, textOf } from './contentParts.ts';
import { readToolCalls } from './readToolCalls.ts';

export interface Conversation {
  /** The leading system and developer messages. */
  readonly instructions: string;
  readonly input: readonly JsonObject[];
}

/**
 * Maps chat messages to instructions and input. Leading system and developer messages become the instructions. Later ones
 * keep their position, since they may refer to the messages before them, and so that a growing chat keeps the prefix that
 * the provider has cached.
 * @param options.needsInstructionsInInput keeps all of them in the input: with `json_object` the provider requires the word
 *   "json" there
 * @throws ProxyError `invalid_request_error` with the path of the first failing field
 */
export function readMessages(
  messages: unknown,
  { needsInstructionsInInput }: { needsInstructionsInInput: boolean },
): Conversation {
  if (!Array.isArray(messages) || messages.length === 0)
    badRequest('messages', 'must be a non-empty array of messages');
  const reader = new MessageReader();
  for (const [index, message] of messages.entries()) reader.read(message, `messages.${index}`);
  const { leading, input } = reader;
  // The provider requires a non-empty input.
  if (needsInstructionsInInput || input.length === 0) {
    return { instructions: '', input: [...leading.map(developerMessage), ...input] };
  }
  return { instructions: leading.join('\n'), input };
}

class MessageReader {
  readonly leading: string[] = [];
  readonly input: JsonObject[] = [];
  /** Call ids of custom tools, whose results have another type than those of functions. */
  readonly #customCalls = new Set<unknown>();

  read(message: unknown, param: string): void {
    if (!isObject(message)) badRequest(param, 'must be an object');
    switch (message.role) {
      case 'system':
      case 'developer':
        this.#readInstruction(readTextContent(message.content, `${param}.content`));
        break;
      case 'user':
        this.#addMessage('user', readContent(message.content, `${param}.content`));
        break;
      case 'assistant':
        this.#readAssistant(message, param);
        break;
      case 'tool':
        this.input.push(this.#toolOutput(message, param));
        break;
      case 'function':
        badRequest(`${param}.role`, "'function' is not supported: send tools, and results with the role 'tool'");
        break;
      default:
        badRequest(`${param}.role`, "must be 'system', 'developer', 'user', 'assistant' or 'tool'");
    }
  }

  #readInstruction(text: string): void {
    if (this.input.length === 0) this.leading.push(text);
    else this.input.push(developerMessage(text));
  }

  #addMessage(role: 'user' | 'assistant', content: JsonObject[]): void {
    if (content.length > 0) this.input.push({ type: 'message', role, content });
  }

  #readAssistant(message: JsonObject, param: string): void {
    const { content, refusal, audio, tool_calls: calls, function_call: call } = message;
    if (audio !== undefined && audio !== null) badRequest(`${param}.audio`, 'is not supported: send the text');
    if (call !== undefined && call !== null) badRequest(`${param}.function_call`, 'is not supported: use tool_calls');
    const parts = assistantParts(content, `${param}.content`);
    if (typeof refusal === 'string' && refusal !== '') parts.push({ type: 'refusal', refusal });
    this.#addMessage('assistant', parts);
    for (const item of readToolCalls(calls, `${param}.tool_calls`)) {
      if (item.type === 'custom_tool_call') this.#customCalls.add(item.call_id);
      this.input.push(item);
    }
  }

  #toolOutput({ tool_call_id: callId, content }: JsonObject, param: string): JsonObject {
    if (typeof callId !== 'string' || callId === '') badRequest(`${param}.tool_call_id`, 'must be a non-empty string');
    const type = this.#customCalls.has(callId) ? 'custom_tool_call_output' : 'function_call_output';
    return { type, call_id: callId, output: toolOutput(content, `${param}.content`) };
  }
}

const developerMessage = (text: string): JsonObject => ({
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text }],
});

function assistantParts(content: unknown, param: string): JsonObject[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ type: 'output_text', text: content }];
  return partsOf(content, param).map((part, index) => {
    if (part.type === 'text') return { type: 'output_text', text: textOf(part, `${param}.${index}`) };
    if (part.type !== 'refusal') badRequest(`${param}.${index}.type`, "must be 'text' or 'refusal'");
    if (typeof part.refusal !== 'string') badRequest(`${param}.${index}.refusal`, 'must be a string');
    return { type: 'refusal', refusal: part.refusal };
  });
}

/** One string if the output is only text, else parts. */
function toolOutput(content: unknown, param: string): string | JsonObject[] {
  const parts = readContent(content, param);
  const texts = parts.flatMap(({ type, text }) => (type === 'input_text' ? [text] : []));
  return texts.length === parts.length ? texts.join('') : parts;
}
