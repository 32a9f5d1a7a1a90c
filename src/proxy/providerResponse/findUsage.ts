import type { TokenUsage } from '../../domain/request/events.ts';
import { parseUsage } from './parseUsage.ts';

const USAGE_KEY = '"usage":';
/** An event of the usual form begins so, and ends so behind the usage: what was cut off, or holds no response, does not. */
const USUAL_HEAD = /^\s*\{\s*"type"\s*:\s*"[\w.]+"\s*,\s*(?:"sequence_number"\s*:\s*\d+\s*,\s*)?"response"\s*:\s*\{/;
const USUAL_TAIL = /^(?:,"\w+":(?:null|true|false|\d+|"[^"\\]*"|\{\}|\[\]))*\}(?:,"sequence_number":\d+)?\}\s*$/;
const MAX_TAIL = 500;

/**
 * The usage stands near the end of an event that repeats the whole answer before it, so it is looked for from there: a
 * quote inside a text is escaped, so the key cannot be part of one.
 * @returns undefined when it is not found in the usual form; the event is parsed whole then
 */
export function findUsage(data: string): TokenUsage | undefined {
  const at = data.lastIndexOf(USAGE_KEY);
  if (at < 0 || !USUAL_HEAD.test(data)) return undefined;
  const start = at + USAGE_KEY.length;
  return usualUsage(data, start) ?? parsedUsage(data, start);
}

const TOKENS = '(0|[1-9]\\d{0,8})';
/** The usage as the provider writes it, and the end of the event: read without making objects of it. */
const USUAL_USAGE = new RegExp(
  `\\{"input_tokens":${TOKENS},"input_tokens_details":\\{"cached_tokens":${TOKENS}\\},` +
    `"output_tokens":${TOKENS},"output_tokens_details":\\{"reasoning_tokens":${TOKENS}\\},"total_tokens":${TOKENS}\\}` +
    USUAL_TAIL.source.slice(1),
  'y',
);

function usualUsage(data: string, start: number): TokenUsage | undefined {
  if (data.length - start > MAX_TAIL) return undefined;
  USUAL_USAGE.lastIndex = start;
  const [, input, cached, output, reasoning] = USUAL_USAGE.exec(data) ?? [];
  if (input === undefined) return undefined;
  return {
    inputTokens: Number(input),
    cachedInputTokens: Math.min(Number(cached), Number(input)),
    outputTokens: Number(output),
    reasoningTokens: Number(reasoning),
    isEstimated: false,
  };
}

function parsedUsage(data: string, start: number): TokenUsage | undefined {
  const end = endOfSmallObject(data, start);
  if (end < 0 || data.length - end > MAX_TAIL || !USUAL_TAIL.test(data.slice(end))) return undefined;
  try {
    const usage = parseUsage(JSON.parse(data.slice(start, end)));
    return usage && usage.inputTokens + usage.outputTokens > 0 ? usage : undefined;
  } catch {
    return undefined;
  }
}

const OPENING = 0x7b;
const CLOSING = 0x7d;
/** Counters and their details fit in this many characters. */
const MAX_USAGE = 1_000;

function endOfSmallObject(text: string, start: number): number {
  let depth = 0;
  const last = Math.min(text.length, start + MAX_USAGE);
  for (let at = start; at < last; at++) {
    const code = text.charCodeAt(at);
    if (code === OPENING) depth++;
    else if (code === CLOSING && --depth <= 0) return depth === 0 ? at + 1 : -1;
    else if (depth === 0 && code > 0x20) return -1;
  }
  return -1;
}
