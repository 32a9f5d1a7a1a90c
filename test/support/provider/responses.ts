import { type Call, compaction, compactionItem, functionCalls, message, reasoning } from './parts.ts';
import { type ResponseOptions, responseEvents, usagePayload } from './responseEvents.ts';
import type { ResponseScript, ScriptContext } from './responseScript.ts';
import { type DeltasOptions, deltasOf, HELLO, type StreamOptions, stream, words } from './stream.ts';

export interface TextResponseOptions extends StreamOptions, DeltasOptions {
  usage?: NonNullable<ResponseOptions['usage']> | null;
  /** Summary of a reasoning item before the text. */
  reasoning?: string;
  /** Delay between two deltas. */
  betweenMs?: number;
}

const textWith = (name: string, options: TextResponseOptions, rest: Omit<ResponseOptions, 'parts' | 'usage'> = {}) => {
  const reasoningParts = options.reasoning === undefined ? [] : [reasoning(words(options.reasoning))];
  const parts = [...reasoningParts, message(deltasOf(options), { betweenMs: options.betweenMs })];
  const usage = options.usage === undefined ? {} : { usage: options.usage };
  return stream(name, (context) => responseEvents(context, { parts, ...usage, ...rest }), options);
};

/** docs/provider.md#events-of-a-text-response */
export const textResponse = (options: TextResponseOptions = {}): ResponseScript => textWith('textResponse', options);

/** docs/provider.md#events-of-reasoning */
export const reasoningResponse = (options: TextResponseOptions = {}): ResponseScript =>
  textWith('reasoningResponse', { reasoning: 'Thinking about what to say.', ...options });

/** Ends with `response.incomplete`, because the output is too long. */
export const incompleteResponse = (options: TextResponseOptions = {}): ResponseScript =>
  textWith('incompleteResponse', options, { end: 'incomplete' });

/** Items are only in their own events: `response.completed` has `output: []`. */
export const completedWithoutOutput = (options: TextResponseOptions = {}): ResponseScript =>
  textWith('completedWithoutOutput', options, { emptyOutput: true });

/** docs/provider.md#events-of-parallel-tool-calls */
export const parallelToolCalls = (
  calls: readonly Call[] = [
    { name: 'get_weather', args: { city: 'Zürich', unit: 'celsius' } },
    { name: 'get_time', args: { city: 'Tōkyō', format: '24h' } },
  ],
  options: StreamOptions = {},
): ResponseScript =>
  stream('parallelToolCalls', (context) => responseEvents(context, { parts: [functionCalls(calls)] }), options);

export const functionCall = (name: string, args: Call['args'], options: StreamOptions = {}): ResponseScript =>
  stream(
    `functionCall ${name}`,
    (context) => responseEvents(context, { parts: [functionCalls([{ name, args }])] }),
    options,
  );

/** The default: a greeting, or the compaction that Codex requests with a trailing item. */
export const defaultResponse = (): ResponseScript =>
  stream('defaultResponse', (context) =>
    responseEvents(context, { parts: [wantsCompaction(context) ? compaction : message(words(HELLO))] }),
  );

/** The response to a create with `generate: false`: an id to continue, without output. */
export const prewarmed = (): ResponseScript => stream('prewarmed', (context) => responseEvents(context, { parts: [] }));

function wantsCompaction({ json: { input } }: ScriptContext): boolean {
  return Array.isArray(input) && input.at(-1)?.type === 'compaction_trigger';
}

/** The response of `/codex/responses/compact`. */
export const compacted = (): ResponseScript => ({
  name: 'compacted',
  *steps(context) {
    yield { head: 200, headers: { 'content-type': 'application/json' } };
    const inputTokens = Math.ceil(context.bytes / 4);
    yield {
      bytes: JSON.stringify({
        id: context.id,
        object: 'response.compaction',
        created_at: Math.floor(context.now / 1000),
        output: [compactionItem(context, 0)],
        usage: usagePayload({ inputTokens, cachedTokens: 0, outputTokens: 16, reasoningTokens: 0 }),
      }),
    };
  },
});
