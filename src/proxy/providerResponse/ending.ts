import type { TokenUsage } from '../../domain/request/events.ts';
import { isObject } from '../requestBody/parseJson.ts';
import { type ProviderError, providerErrorFrom } from './failure.ts';
import { findUsage } from './findUsage.ts';
import { parseUsage } from './parseUsage.ts';
import type { SseEvent } from './sse.ts';

/** Content of the event that ends a response. */
export interface Ending {
  readonly kind: 'completed' | 'incomplete' | 'failed' | 'error';
  readonly usage: TokenUsage | undefined;
  /** Set for `failed` and `error`. */
  readonly error: ProviderError | undefined;
  /** The items of the response, for clients that refer to them later; undefined when the event has none. */
  readonly output: readonly unknown[] | undefined;
  /** The tier that was served, null for the default tier; set only when the request asked for another one. */
  readonly serviceTier?: string | null | undefined;
}

const KINDS: Readonly<Record<string, Ending['kind']>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
};

/** The ending of a terminal event that contains neither a response nor an error: the client gets an error. */
const emptyEnding = (): Ending => ({
  kind: 'error',
  usage: undefined,
  error: providerErrorFrom(undefined),
  output: undefined,
});

/**
 * Reads the terminal event of a stream, the only one that is parsed. An event that is invalid or contains no response counts
 * as an error.
 * @param options.needsOutput whether to return the items; without them a long event need not be parsed completely
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
    return emptyEnding();
  }
  if (kind === 'error') return { ...emptyEnding(), error: providerErrorFrom(payload) };
  const response = isObject(payload) ? payload.response : undefined;
  if (!isObject(response)) return emptyEnding();
  return {
    kind,
    usage: parseUsage(response.usage),
    error: kind === 'failed' ? providerErrorFrom(response) : undefined,
    output: Array.isArray(response.output) ? response.output : undefined,
  };
}

/** Reads a response that is one JSON object. Any other text has the kind `failed`. */
export function readJsonEnding(text: string): Ending {
  const failed = { kind: 'failed', usage: undefined, output: undefined } as const;
  let response: unknown;
  try {
    response = JSON.parse(text);
  } catch {
    return { ...failed, error: providerErrorFrom(undefined) };
  }
  if (!isObject(response)) return { ...failed, error: providerErrorFrom(undefined) };
  const usage = parseUsage(response.usage);
  if (response.status === 'failed' || isObject(response.error))
    return { ...failed, usage, error: providerErrorFrom(response) };
  return { kind: 'completed', usage, error: undefined, output: undefined };
}
