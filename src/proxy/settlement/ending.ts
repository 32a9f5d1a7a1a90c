import type { TokenUsage } from '../../domain/request/events.ts';
import { type ProviderError, providerErrorFrom } from '../attempts/failure.ts';
import type { SseEvent } from '../relay/sse.ts';

/** What the event that ends an answer says. */
export interface Ending {
  readonly kind: 'completed' | 'incomplete' | 'failed' | 'error';
  readonly usage: TokenUsage | undefined;
  /** Set for `failed` and `error`. */
  readonly error: ProviderError | undefined;
  /** The answer's items, for clients that refer to them later; undefined when the event has none. */
  readonly output: readonly unknown[] | undefined;
}

const KINDS: Readonly<Record<string, Ending['kind']>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
};

/** Reads the one event of a stream that is parsed. What cannot be read counts as failed. */
export function readEnding({ type, data }: SseEvent): Ending {
  const kind = KINDS[type ?? ''] ?? 'error';
  let payload: unknown;
  try {
    payload = JSON.parse(data);
  } catch {
    return { kind: 'failed', usage: undefined, error: providerErrorFrom(undefined), output: undefined };
  }
  if (kind === 'error') return { kind, usage: undefined, error: providerErrorFrom(payload), output: undefined };
  const { response } = payload as { response?: { usage?: unknown; output?: unknown; error?: unknown } };
  return {
    kind,
    usage: usageFrom(response?.usage),
    error: kind === 'failed' ? providerErrorFrom(response) : undefined,
    output: Array.isArray(response?.output) ? response.output : undefined,
  };
}

/** @returns undefined when the provider did not say */
function usageFrom(value: unknown): TokenUsage | undefined {
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

const tokens = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined;
