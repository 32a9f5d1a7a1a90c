import { isObject, type JsonObject } from '../requestBody/parseJson.ts';

/** What the provider refuses with 400 "Unsupported parameter" (clients.md section 0, row 9). */
export const REFUSED_UPSTREAM: readonly string[] = [
  'background',
  'frequency_penalty',
  'max_completion_tokens',
  'max_output_tokens',
  'max_tokens',
  'metadata',
  'presence_penalty',
  'previous_response_id',
  'prompt_cache_retention',
  'safety_identifier',
  'stream_options',
  'temperature',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
];

/** Finds an item that an earlier answer of ours contained; undefined when it is not known any more. */
export type RecallItem = (id: string) => unknown;

/**
 * The body that the provider accepts in place of `body`: streamed, not stored, without refused parameters; a string
 * becomes one user message, `system` becomes `developer`, and a reference is replaced by the item it means or dropped.
 */
export function toForwardable(body: JsonObject, recall: RecallItem): JsonObject {
  const forwarded: JsonObject = { ...body, stream: true, store: false, input: forwardableInput(body.input, recall) };
  for (const name of REFUSED_UPSTREAM) delete forwarded[name];
  return forwarded;
}

/** The same for the endpoint that compacts a conversation: it knows neither `stream` nor `store`. */
export function toCompactable(body: JsonObject, recall: RecallItem): JsonObject {
  const { stream: _, store: __, ...compactable } = toForwardable(body, recall);
  return compactable;
}

function forwardableInput(input: unknown, recall: RecallItem): unknown[] {
  if (!Array.isArray(input)) {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  }
  return input.flatMap((item: unknown) => {
    if (!isObject(item)) return [];
    if (item.role === 'system') return [{ ...item, role: 'developer' }];
    if (item.type !== 'item_reference') return [item];
    const known = typeof item.id === 'string' ? recall(item.id) : undefined;
    return known === undefined ? [] : [known];
  });
}
