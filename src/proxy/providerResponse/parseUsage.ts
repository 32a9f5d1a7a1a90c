import type { TokenUsage } from '../../domain/request/events.ts';

/** Parses the `usage` of a response. @returns undefined when it reports no tokens */
export function parseUsage(value: unknown): TokenUsage | undefined {
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

/** Far above any real response, and small enough that sums remain safe integers. */
const MAX_TOKENS = 1_000_000_000;

const tokens = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= MAX_TOKENS ? Math.floor(value) : undefined;
