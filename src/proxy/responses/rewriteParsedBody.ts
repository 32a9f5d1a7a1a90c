import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import type { RecallItem } from './recentItems.ts';

/** Parameters that the provider refuses (docs/provider.md#parameters-that-the-provider-refuses). */
export const UNSUPPORTED_PARAMETERS: readonly string[] = [
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

/**
 * Makes the body that the provider accepts: streamed, not stored, without unsupported parameters. A string input becomes
 * one user message, the role `system` becomes `developer`, and a reference is replaced by the item it refers to, or dropped
 * when that is unknown.
 */
export function rewriteParsedBody(body: JsonObject, recall: RecallItem): JsonObject {
  const rewritten: JsonObject = { ...body, stream: true, store: false, input: rewriteInput(body.input, recall) };
  // JSON has no undefined members. Deleting them would make every later access to the object slower.
  for (const name of UNSUPPORTED_PARAMETERS) if (rewritten[name] !== undefined) rewritten[name] = undefined;
  return rewritten;
}

/** Does the same for the endpoint that compacts a conversation, which accepts neither `stream` nor `store`. */
export function rewriteForCompaction(body: JsonObject, recall: RecallItem): JsonObject {
  const { stream: _, store: __, ...rewritten } = rewriteParsedBody(body, recall);
  return rewritten;
}

function rewriteInput(input: unknown, recall: RecallItem): unknown[] {
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
