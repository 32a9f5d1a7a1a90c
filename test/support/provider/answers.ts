import { type AnswerOptions, answer, usagePayload } from './answer.ts';
import { type Call, compaction, compactionItem, functionCalls, message, reasoning } from './parts.ts';
import type { Asked, ResponseScript } from './responseScript.ts';
import { type DeltasOptions, deltasOf, HELLO, type StreamOptions, stream, words } from './stream.ts';

export interface TextAnswerOptions extends StreamOptions, DeltasOptions {
  usage?: NonNullable<AnswerOptions['usage']> | null;
  /** Thinks first: the summary. */
  reasoning?: string;
  /** Between two deltas. */
  betweenMs?: number;
}

const textWith = (name: string, options: TextAnswerOptions, rest: Omit<AnswerOptions, 'parts' | 'usage'> = {}) => {
  const thinking = options.reasoning === undefined ? [] : [reasoning(words(options.reasoning))];
  const parts = [...thinking, message(deltasOf(options), { betweenMs: options.betweenMs })];
  const usage = options.usage === undefined ? {} : { usage: options.usage };
  return stream(name, (asked) => answer(asked, { parts, ...usage, ...rest }), options);
};

/** docs/provider.md#events-of-a-text-response */
export const textAnswer = (options: TextAnswerOptions = {}): ResponseScript => textWith('textAnswer', options);

/** docs/provider.md#events-of-reasoning */
export const reasoningAnswer = (options: TextAnswerOptions = {}): ResponseScript =>
  textWith('reasoningAnswer', { reasoning: 'Thinking about what to say.', ...options });

/** Ends with `response.incomplete`, because the output got too long. */
export const incomplete = (options: TextAnswerOptions = {}): ResponseScript =>
  textWith('incomplete', options, { end: 'incomplete' });

/** Items come only in their own events: `response.completed` carries `output: []`. */
export const emptyOutputCompleted = (options: TextAnswerOptions = {}): ResponseScript =>
  textWith('emptyOutputCompleted', options, { emptyOutput: true });

/** docs/provider.md#events-of-parallel-tool-calls */
export const parallelToolCalls = (
  calls: readonly Call[] = [
    { name: 'get_weather', args: { city: 'Zürich', unit: 'celsius' } },
    { name: 'get_time', args: { city: 'Tōkyō', format: '24h' } },
  ],
  options: StreamOptions = {},
): ResponseScript => stream('parallelToolCalls', (asked) => answer(asked, { parts: [functionCalls(calls)] }), options);

export const functionCall = (name: string, args: Call['args'], options: StreamOptions = {}): ResponseScript =>
  stream(`functionCall ${name}`, (asked) => answer(asked, { parts: [functionCalls([{ name, args }])] }), options);

/** What an account says unless told otherwise: a greeting, or the compaction that the CLI asks for with a trailing item. */
export const politeAnswer = (): ResponseScript =>
  stream('politeAnswer', (asked) =>
    answer(asked, { parts: [wantsCompaction(asked) ? compaction : message(words(HELLO))] }),
  );

function wantsCompaction({ json: { input } }: Asked): boolean {
  return Array.isArray(input) && input.at(-1)?.type === 'compaction_trigger';
}

/** The answer of `/codex/responses/compact`. */
export const compacted = (): ResponseScript => ({
  name: 'compacted',
  *steps(asked) {
    yield { head: 200, headers: { 'content-type': 'application/json' } };
    const inputTokens = Math.ceil(asked.bytes / 4);
    yield {
      bytes: JSON.stringify({
        id: asked.id,
        object: 'response.compaction',
        created_at: Math.floor(asked.now / 1000),
        output: [compactionItem(asked, 0)],
        usage: usagePayload({ inputTokens, cachedTokens: 0, outputTokens: 16, reasoningTokens: 0 }),
      }),
    };
  },
});
