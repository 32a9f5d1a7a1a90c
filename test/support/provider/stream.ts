import { evenly } from './parts.ts';
import type { Asked, ResponseScript, Step, Wire } from './responseScript.ts';

export const HELLO = 'Hello from the simulated provider.';

export interface StreamOptions {
  headers?: Record<string, string>;
  /** Before the head of the answer. */
  delayMs?: number;
  /** Between the head and the first event. */
  firstByteDelayMs?: number;
  /** How the bytes are cut; the same as `chunked(script, …)`. */
  chunking?: Wire;
}

/** A 200 with server-sent events; everything after the head is up to `events`. */
export const stream = (
  name: string,
  events: (asked: Asked) => Iterable<Step>,
  { headers, delayMs, firstByteDelayMs, chunking }: StreamOptions = {},
): ResponseScript => ({
  name,
  *steps(asked) {
    if (delayMs) yield { waitMs: delayMs };
    yield {
      head: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
    };
    if (firstByteDelayMs) yield { waitMs: firstByteDelayMs };
    yield* events(asked);
  },
  ...(chunking && { wire: chunking }),
});

export const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

export interface DeltasOptions {
  text?: string;
  /** The deltas themselves, or into how many to cut the text (without a text: `word-1 word-2 …`). */
  deltas?: number | readonly string[];
}

export function deltasOf({ text, deltas }: DeltasOptions): readonly string[] {
  if (typeof deltas === 'object') return deltas;
  if (deltas === undefined) return words(text ?? HELLO);
  return text === undefined ? Array.from({ length: deltas }, (_, n) => `word-${n + 1} `) : evenly(text, deltas);
}
