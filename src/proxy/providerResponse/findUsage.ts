import type { TokenUsage } from '../../domain/request/events.ts';
import { parseUsage } from './parseUsage.ts';

const USAGE_KEY = '"usage":';
/** How a common event begins, and how it ends after the usage. An event that is cut off or has no response does not match. */
const COMMON_HEAD = /^\s*\{\s*"type"\s*:\s*"[\w.]+"\s*,\s*(?:"sequence_number"\s*:\s*\d+\s*,\s*)?"response"\s*:\s*\{/;
const COMMON_TAIL = /^(?:,"\w+":(?:null|true|false|\d+|"[^"\\]*"|\{\}|\[\]))*\}(?:,"sequence_number":\d+)?\}\s*$/;
const MAX_TAIL_CHARACTERS = 500;

/**
 * Finds the usage without parsing the event. It is near the end, after a copy of the complete response, so it is searched
 * from there; a text cannot contain the key, because its quotes are escaped.
 * @returns undefined when the event has another form and must be parsed
 */
export function findUsage(data: string): TokenUsage | undefined {
  const at = data.lastIndexOf(USAGE_KEY);
  if (at < 0 || !COMMON_HEAD.test(data)) return undefined;
  const start = at + USAGE_KEY.length;
  return matchUsage(data, start) ?? parseSmallUsage(data, start);
}

const TOKENS = '(0|[1-9]\\d{0,8})';
/** The usage as the provider writes it, and the end of the event: read without creating objects. */
const COMMON_USAGE = new RegExp(
  `\\{"input_tokens":${TOKENS},"input_tokens_details":\\{"cached_tokens":${TOKENS}\\},` +
    `"output_tokens":${TOKENS},"output_tokens_details":\\{"reasoning_tokens":${TOKENS}\\},"total_tokens":${TOKENS}\\}` +
    COMMON_TAIL.source.slice(1),
  'y',
);

function matchUsage(data: string, start: number): TokenUsage | undefined {
  if (data.length - start > MAX_TAIL_CHARACTERS) return undefined;
  COMMON_USAGE.lastIndex = start;
  const [, input, cached, output, reasoning] = COMMON_USAGE.exec(data) ?? [];
  if (input === undefined) return undefined;
  return {
    inputTokens: Number(input),
    cachedInputTokens: Math.min(Number(cached), Number(input)),
    outputTokens: Number(output),
    reasoningTokens: Number(reasoning),
    isEstimated: false,
  };
}

function parseSmallUsage(data: string, start: number): TokenUsage | undefined {
  const end = endOfSmallObject(data, start);
  if (end < 0 || data.length - end > MAX_TAIL_CHARACTERS || !COMMON_TAIL.test(data.slice(end))) return undefined;
  try {
    const usage = parseUsage(JSON.parse(data.slice(start, end)));
    return usage && usage.inputTokens + usage.outputTokens > 0 ? usage : undefined;
  } catch {
    return undefined;
  }
}

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** Maximum length of the counters and their details. */
const MAX_USAGE_CHARACTERS = 1_000;

function endOfSmallObject(text: string, start: number): number {
  let depth = 0;
  const last = Math.min(text.length, start + MAX_USAGE_CHARACTERS);
  for (let at = start; at < last; at++) {
    const code = text.charCodeAt(at);
    if (code === OPENING_BRACE) depth++;
    else if (code === CLOSING_BRACE && --depth <= 0) return depth === 0 ? at + 1 : -1;
    else if (depth === 0 && code > 0x20) return -1;
  }
  return -1;
}
