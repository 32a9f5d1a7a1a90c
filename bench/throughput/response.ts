import { prose } from './prose.ts';

/** nginx replaces it by the id of each request. */
export const ID_PLACEHOLDER = '__RESPONSE_ID__';

/**
 * A response of about 8 kB with every event that real clients rely on, in the provider's order and with usage at its end.
 * Its ids are unique, so that a cache of items cannot profit from equal ones.
 */
export function sampleResponse(deltas = 22): string {
  const response = { id: `resp_${ID_PLACEHOLDER}`, object: 'response', created_at: 1764000000, model: 'gpt-5.1' };
  const place = { item_id: `msg_${ID_PLACEHOLDER}`, output_index: 0, content_index: 0 };
  const words = Array.from({ length: deltas }, (_, index) => prose(14, 300 + index));
  const part = { type: 'output_text', text: words.join(''), annotations: [] };
  const item = {
    id: `msg_${ID_PLACEHOLDER}`,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [part],
  };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.in_progress', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...words.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_text.done', ...place, text: part.text },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage: USAGE } },
  ];
  return events
    .map(({ type, ...rest }, index) => {
      const data = JSON.stringify({ type, sequence_number: index, ...rest });
      return `event: ${type}\ndata: ${data}\n\n`;
    })
    .join('');
}

const USAGE = {
  input_tokens: 5120,
  input_tokens_details: { cached_tokens: 4096 },
  output_tokens: 96,
  output_tokens_details: { reasoning_tokens: 32 },
  total_tokens: 5216,
};
