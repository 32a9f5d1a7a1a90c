type JsonObject = Record<string, unknown>;

/** Parameters that the provider refuses (docs/provider.md#parameters-that-the-provider-refuses) */
const UNSUPPORTED_PARAMETERS: ReadonlySet<string> = new Set([
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
]);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A second implementation of the body that the provider must get (docs/decisions/0041-request-fields.md). Drops every
 * reference, because the tests refer to no known item.
 */
export function expectedUpstreamBody(sent: JsonObject): JsonObject {
  const rewritten = Object.fromEntries(Object.entries(sent).filter(([name]) => !UNSUPPORTED_PARAMETERS.has(name)));
  const input = typeof sent.input === 'string' ? [userMessage(sent.input)] : (sent.input as JsonObject[]);
  rewritten.input = input
    .filter((item) => item.type !== 'item_reference' || item.role === 'system')
    .map((item) =>
      item.role === 'system' ? Object.fromEntries(Object.entries({ ...item, role: 'developer' })) : item,
    );
  return { ...rewritten, stream: true, store: false };
}

const userMessage = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
