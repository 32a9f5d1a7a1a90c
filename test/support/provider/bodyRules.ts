const UNSUPPORTED = [
  'max_output_tokens',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'metadata',
  'user',
  'truncation',
  'safety_identifier',
  'prompt_cache_retention',
  'previous_response_id',
];

type Body = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null;

/**
 * Why the provider refuses a body for `/codex/responses`, in its own words; undefined if it does not
 * (docs/provider.md#parameters-that-the-provider-refuses).
 */
export function problemOfResponsesBody(body: unknown): string | undefined {
  if (!isObject(body)) return 'Invalid JSON body';
  if (body.store !== false) return 'Store must be set to false';
  if (body.stream !== true) return 'Stream must be set to true';
  if ('generate' in body) return 'Unsupported parameter: generate';
  return problemOfCompactBody(body);
}

/**
 * The same for a `response.create` on a WebSocket, where `stream` is not used, and `previous_response_id` and `generate` are
 * allowed.
 */
export function problemOfCreate(create: unknown): string | undefined {
  if (!isObject(create)) return 'Invalid JSON message';
  const { type, previous_response_id: _, generate: __, ...body } = create;
  if (type !== 'response.create') return `Unknown message type: ${type}`;
  return problemOfResponsesBody({ ...body, stream: true });
}

/** The same for the compact endpoint, which accepts neither `stream` nor `store`. */
export function problemOfCompactBody(body: unknown): string | undefined {
  if (!isObject(body)) return 'Invalid JSON body';
  if (typeof body.model !== 'string' || body.model === '') return 'Model is required';
  const parameter = UNSUPPORTED.find((name) => name in body);
  if (parameter) return `Unsupported parameter: ${parameter}`;
  if (!Array.isArray(body.input)) return 'Input must be a list';
  for (const item of body.input.filter(isObject)) {
    if (item.role === 'system') return 'System messages are not allowed';
    const isUnusableReasoning = item.type === 'reasoning' && 'id' in item && !item.encrypted_content;
    if (item.type === 'item_reference' || isUnusableReasoning)
      return `Item with id '${item.id}' not found. Items are not persisted when store is set to false.`;
  }
  return undefined;
}
