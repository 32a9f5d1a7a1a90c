import { evenly } from './parts.ts';
import type { Fragmentation, ResponseScript, ScriptContext, Step } from './responseScript.ts';

export const HELLO = 'Hello from the simulated provider.';

export interface StreamOptions {
  headers?: Record<string, string>;
  /** Before the response head. */
  delayMs?: number;
  /** Between the head and the first event. */
  firstByteDelayMs?: number;
  /** The same as `fragmented(script, ...)`. */
  fragmentation?: Fragmentation;
}

/** A 200 with server-sent events; `events` yields everything after the head. */
export const stream = (
  name: string,
  events: (context: ScriptContext) => Iterable<Step>,
  { headers, delayMs, firstByteDelayMs, fragmentation }: StreamOptions = {},
): ResponseScript => ({
  name,
  *steps(context) {
    if (delayMs) yield { waitMs: delayMs };
    yield {
      head: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
    };
    if (firstByteDelayMs) yield { waitMs: firstByteDelayMs };
    yield* events(context);
  },
  ...(fragmentation && { fragmentation }),
});

export const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

export interface DeltasOptions {
  text?: string;
  /** The deltas themselves, or their number (without a text: `word-1 word-2 ...`). */
  deltas?: number | readonly string[];
}

export function deltasOf({ text, deltas }: DeltasOptions): readonly string[] {
  if (typeof deltas === 'object') return deltas;
  if (deltas === undefined) return words(text ?? HELLO);
  return text === undefined ? Array.from({ length: deltas }, (_, n) => `word-${n + 1} `) : evenly(text, deltas);
}
