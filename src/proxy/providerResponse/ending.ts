import type { TokenUsage } from '../../domain/request/events.ts';
import { isObject } from '../requestBody/parseJson.ts';
import { type ProviderError, providerErrorFrom } from './failure.ts';
import { findUsage } from './findUsage.ts';
import { parseUsage } from './parseUsage.ts';
import type { SseEvent } from './sse.ts';

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
    const usage = findUsage(data);
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
    usage: parseUsage(response.usage),
    error: kind === 'failed' ? providerErrorFrom(response) : undefined,
    output: Array.isArray(response.output) ? response.output : undefined,
  };
}

/** Reads an answer that is one JSON object. What is none counts as failed. */
export function readJsonEnding(text: string): Ending {
  const failed = { kind: 'failed', usage: undefined, output: undefined } as const;
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { ...failed, error: providerErrorFrom(undefined) };
  }
  if (!isObject(answer)) return { ...failed, error: providerErrorFrom(undefined) };
  const usage = parseUsage(answer.usage);
  if (answer.status === 'failed' || isObject(answer.error))
    return { ...failed, usage, error: providerErrorFrom(answer) };
  return { kind: 'completed', usage, error: undefined, output: undefined };
}
