import type { TokenUsage } from '../../domain/request/events.ts';
import { type ProviderError, providerErrorFrom } from '../attempts/failure.ts';
import { isObject } from '../body/parseJson.ts';
import type { SseEvent } from '../relay/sse.ts';

/** What the event that ends an answer says. */
export interface Ending {
  readonly kind: 'completed' | 'incomplete' | 'failed' | 'error';
  readonly usage: TokenUsage | undefined;
  /** Set for `failed` and `error`. */
  readonly error: ProviderError | undefined;
  /** The answer's items, for clients that refer to them later; undefined when the event has none. */
  readonly output: readonly unknown[] | undefined;
  /** The tier of service, null for the usual one; looked for only where another one was asked for. */
  readonly serviceTier?: string | null | undefined;
}

const KINDS: Readonly<Record<string, Ending['kind']>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
};

/** Holds no answer and says no reason: whoever waits for the answer is told that it failed. */
const hollow = (): Ending => ({
  kind: 'error',
  usage: undefined,
  error: providerErrorFrom(undefined),
  output: undefined,
});

/**
 * Reads the one event of a stream that is parsed. What cannot be read, or holds no answer, counts as an error.
 * @param options.needsOutput whether the answer's items are wanted; without them a long answer need not be parsed whole
 */
export function readEnding({ type, data }: SseEvent, { needsOutput }: { needsOutput: boolean }): Ending {
  const kind = KINDS[type ?? ''] ?? 'error';
  if (!needsOutput && (kind === 'completed' || kind === 'incomplete')) {
    const usage = usageAtItsEnd(data);
    if (usage) return { kind, usage, error: undefined, output: undefined };
  }
  let payload: unknown;
  try {
    payload = JSON.parse(data);
  } catch {
    return hollow();
  }
  if (kind === 'error') return { ...hollow(), error: providerErrorFrom(payload) };
  const response = isObject(payload) ? payload.response : undefined;
  if (!isObject(response)) return hollow();
  return {
    kind,
    usage: usageFrom(response.usage),
    error: kind === 'failed' ? providerErrorFrom(response) : undefined,
    output: Array.isArray(response.output) ? response.output : undefined,
  };
}

/** Reads an answer that is one JSON object. What is none counts as failed. */
export function readWholeEnding(text: string): Ending {
  const failed = { kind: 'failed', usage: undefined, output: undefined } as const;
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { ...failed, error: providerErrorFrom(undefined) };
  }
  if (!isObject(answer)) return { ...failed, error: providerErrorFrom(undefined) };
  const usage = usageFrom(answer.usage);
  if (answer.status === 'failed' || isObject(answer.error))
    return { ...failed, usage, error: providerErrorFrom(answer) };
  return { kind: 'completed', usage, error: undefined, output: undefined };
}

const USAGE_KEY = '"usage":';
/** An event of the usual form begins so, and ends so behind the usage: what was cut off, or holds no response, does not. */
const USUAL_HEAD = /^\s*\{\s*"type"\s*:\s*"[\w.]+"\s*,\s*(?:"sequence_number"\s*:\s*\d+\s*,\s*)?"response"\s*:\s*\{/;
const USUAL_TAIL = /^(?:,"\w+":(?:null|true|false|\d+|"[^"\\]*"|\{\}|\[\]))*\}(?:,"sequence_number":\d+)?\}\s*$/;
const LONGEST_TAIL = 500;

/**
 * The usage stands near the end of an event that repeats the whole answer before it, so it is looked for from there: a
 * quote inside a text is escaped, so the key cannot be part of one.
 * @returns undefined when it is not found in the usual form; the event is parsed whole then
 */
function usageAtItsEnd(data: string): TokenUsage | undefined {
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
  if (data.length - start > LONGEST_TAIL) return undefined;
  USUAL_USAGE.lastIndex = start;
  const [, input, cached, output, reasoning] = USUAL_USAGE.exec(data) ?? [];
  if (input === undefined || Number(input) + Number(output) === 0) return undefined;
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
  if (end < 0 || data.length - end > LONGEST_TAIL || !USUAL_TAIL.test(data.slice(end))) return undefined;
  try {
    const usage = usageFrom(JSON.parse(data.slice(start, end)));
    return usage && usage.inputTokens + usage.outputTokens > 0 ? usage : undefined;
  } catch {
    return undefined;
  }
}

const OPENING = 0x7b;
const CLOSING = 0x7d;
/** Counters and their details fit in this many characters. */
const LONGEST_USAGE = 1_000;

function endOfSmallObject(text: string, start: number): number {
  let depth = 0;
  const last = Math.min(text.length, start + LONGEST_USAGE);
  for (let at = start; at < last; at++) {
    const code = text.charCodeAt(at);
    if (code === OPENING) depth++;
    else if (code === CLOSING && --depth <= 0) return depth === 0 ? at + 1 : -1;
    else if (depth === 0 && code > 0x20) return -1;
  }
  return -1;
}

/** @returns undefined when the provider did not say */
export function usageFrom(value: unknown): TokenUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const usage = value as Record<string, unknown>;
  const details = (name: string) => (usage[name] ?? {}) as Record<string, unknown>;
  const reasoningTokens = tokens(details('output_tokens_details').reasoning_tokens) ?? 0;
  const inputTokens = tokens(usage.input_tokens);
  const outputTokens = tokens(usage.output_tokens);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    inputTokens: inputTokens ?? 0,
    cachedInputTokens: Math.min(tokens(details('input_tokens_details').cached_tokens) ?? 0, inputTokens ?? 0),
    outputTokens: outputTokens ?? reasoningTokens,
    reasoningTokens,
    isEstimated: false,
  };
}

/** No answer has so many; beyond it sums would be no numbers that the log can hold. */
const MOST_TOKENS = 1_000_000_000;

const tokens = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= MOST_TOKENS ? Math.floor(value) : undefined;
