import type { ScriptContext, Step, StreamEvent } from './responseScript.ts';

export type OutputItem = { id: string; type: string } & Record<string, unknown>;

/** Emits the events of one or more output items, the first of them at `index`, and returns the finished items. */
export type Part = (context: ScriptContext, index: number) => Generator<Step, OutputItem[]>;

export interface UsageNumbers {
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  reasoningTokens: number;
}

export interface ResponseOptions {
  parts: Part[];
  /** Overrides numbers of the estimate; null sends `usage: null`. */
  usage?: Partial<UsageNumbers> | null;
  end?: 'completed' | 'incomplete' | 'failed';
  error?: { code: string; message: string };
  /** The terminal event has `output: []`, although items were sent. */
  emptyOutput?: boolean;
}

const event = (step: StreamEvent): Step => ({ event: step });

/** A stream from `response.created` to its terminal event (docs/provider.md#events-of-a-text-response). */
export function* responseEvents(
  context: ScriptContext,
  { parts, usage, end = 'completed', error, emptyOutput }: ResponseOptions,
): Generator<Step> {
  yield* openingEvents(context);
  const output: OutputItem[] = [];
  for (const part of parts) output.push(...(yield* part(context, output.length)));
  yield event({
    type: `response.${end}`,
    response: {
      ...responseObject(context, end),
      output: emptyOutput ? [] : output,
      usage: end === 'failed' || usage === null ? null : usagePayload({ ...estimate(context, output), ...usage }),
      error: error ?? null,
      incomplete_details: end === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    },
  });
}

export function* openingEvents(context: ScriptContext): Generator<Step> {
  const response = responseObject(context, 'in_progress');
  yield event({ type: 'response.created', response });
  yield event({ type: 'response.in_progress', response });
}

/** The complete response object: strict SDKs require every field. */
export function responseObject({ id, json, now, continues }: ScriptContext, status: string) {
  return {
    id,
    object: 'response',
    created_at: Math.floor(now / 1000),
    status,
    background: false,
    error: null as unknown,
    incomplete_details: null as unknown,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: typeof json.model === 'string' ? json.model : 'unknown',
    output: [] as OutputItem[],
    parallel_tool_calls: json.parallel_tool_calls ?? true,
    previous_response_id: continues?.id ?? null,
    prompt_cache_key: json.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...(json.reasoning as object | undefined) },
    safety_identifier: null,
    service_tier: json.service_tier ?? 'default',
    store: false,
    temperature: 1,
    text: { format: { type: 'text' }, ...(json.text as object | undefined) },
    tool_choice: json.tool_choice ?? 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: 'disabled',
    usage: null as unknown,
    user: null,
  };
}

const tokensIn = (text: string): number => Math.ceil(text.length / 4);

/** Everything before a continued response is cached. */
function estimate({ bytes, continues }: ScriptContext, output: OutputItem[]): UsageNumbers {
  const tokensOf = (items: OutputItem[]): number => items.reduce((sum, item) => sum + tokensIn(textOf(item)), 0);
  return {
    inputTokens: Math.ceil(bytes / 4) + (continues?.totalTokens ?? 0),
    cachedTokens: continues?.totalTokens ?? 0,
    outputTokens: tokensOf(output),
    reasoningTokens: tokensOf(output.filter(({ type }) => type === 'reasoning')),
  };
}

function textOf({ content, summary, arguments: args }: OutputItem): string {
  const texts = [...((content ?? []) as { text: string }[]), ...((summary ?? []) as { text: string }[])];
  return texts.map(({ text }) => text).join('') + (typeof args === 'string' ? args : '');
}

export const usagePayload = ({ inputTokens, cachedTokens, outputTokens, reasoningTokens }: UsageNumbers) => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedTokens },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: inputTokens + outputTokens,
});
