import { isObject, type JsonObject } from '../requestBody/parseJson.ts';
import type { Annotation, Logprobs } from './wire.ts';

/** Maps an annotation. The chat API only has citations of URLs, so the result is empty for others. */
export function toAnnotations(value: unknown): Annotation[] {
  if (!isObject(value) || value.type !== 'url_citation') return [];
  const { start_index: start, end_index: end, title, url } = value;
  if (typeof start !== 'number' || typeof end !== 'number' || typeof url !== 'string') return [];
  const citation = { start_index: start, end_index: end, title: typeof title === 'string' ? title : '', url };
  return [{ type: 'url_citation', url_citation: citation }];
}

/** Maps the log probabilities of the tokens in a piece of text; undefined when the provider sent none. */
export function toLogprobs(value: unknown): Logprobs | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const content = value.filter(isObject).map((entry) => ({
    ...toLogprob(entry),
    top_logprobs: (Array.isArray(entry.top_logprobs) ? entry.top_logprobs : []).filter(isObject).map(toLogprob),
  }));
  return { content, refusal: null };
}

function toLogprob({ token, logprob, bytes }: JsonObject) {
  const text = typeof token === 'string' ? token : '';
  return {
    token: text,
    logprob: typeof logprob === 'number' ? logprob : 0,
    // A token may end inside a character: the provider's bytes are then correct, those of the text are not.
    bytes: Array.isArray(bytes) ? (bytes as number[]) : [...Buffer.from(text)],
  };
}
