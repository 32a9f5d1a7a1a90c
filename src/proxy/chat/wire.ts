import { z } from 'zod';

// Requests and responses of `/v1/chat/completions`. Both the types of the mapping and the OpenAPI document derive from
// these schemas.

const LogProb = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()).nullable() });
const Logprobs = z.object({
  content: z.array(z.object({ ...LogProb.shape, top_logprobs: z.array(LogProb) })),
  refusal: z.null(),
});
const Annotation = z.object({
  type: z.literal('url_citation'),
  url_citation: z.object({ start_index: z.int(), end_index: z.int(), title: z.string(), url: z.string() }),
});
const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter']);

const Usage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }),
    completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
  })
  .meta({ id: 'ChatUsage' });

const ToolCall = z.union([
  z.object({
    id: z.string(),
    type: z.literal('function'),
    function: z.object({ name: z.string(), arguments: z.string() }),
  }),
  z.object({ id: z.string(), type: z.literal('custom'), custom: z.object({ name: z.string(), input: z.string() }) }),
]);
/** The first delta of a call contains its id, type and name; the others append to its arguments. */
const ToolCallDelta = z.object({
  index: z.int(),
  id: z.string().optional(),
  type: z.enum(['function', 'custom']).optional(),
  function: z.object({ name: z.string().optional(), arguments: z.string() }).optional(),
  custom: z.object({ name: z.string().optional(), input: z.string() }).optional(),
});

const Delta = z.object({
  role: z.literal('assistant').optional(),
  content: z.string().optional(),
  refusal: z.string().optional(),
  reasoning_content: z.string().optional().describe('A summary of the reasoning, if requested'),
  annotations: z.array(Annotation).optional(),
  tool_calls: z.array(ToolCallDelta).optional(),
});

const responseFields = {
  id: z.string().describe('Unique per response, the same in all of its chunks'),
  created: z.int().describe('Unix seconds'),
  model: z.string().describe('As requested'),
  service_tier: z.string().optional(),
};

export const ChatCompletionChunk = z
  .object({
    ...responseFields,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.object({
        index: z.literal(0),
        delta: Delta,
        logprobs: Logprobs.optional(),
        finish_reason: FinishReason.nullable(),
      }),
    ),
    usage: Usage.nullable().optional(),
  })
  .meta({ id: 'ChatCompletionChunk' });

export const ChatCompletion = z
  .object({
    ...responseFields,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.object({
        index: z.literal(0),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullable(),
          reasoning_content: z.string().optional(),
          annotations: z.array(Annotation),
          tool_calls: z.array(ToolCall).optional(),
        }),
        logprobs: Logprobs.nullable(),
        finish_reason: FinishReason,
      }),
    ),
    usage: Usage.optional(),
  })
  .meta({ id: 'ChatCompletion' });

const loose = z.looseObject({});
const Messages = z.array(z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']) })).min(1);

/** Documentation only: `toResponsesBody.ts` and the modules it imports check requests and word the errors. */
export const ChatRequest = z
  .looseObject({
    model: z.string(),
    messages: Messages,
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    tools: z.array(z.looseObject({ type: z.string() })).nullish(),
    tool_choice: z.union([z.string(), loose]).nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).nullish(),
    reasoning_effort: z.string().nullish(),
    verbosity: z.string().nullish(),
    max_completion_tokens: z
      .number()
      .nullish()
      .describe('Reserved from the limits of the API key; not forwarded to the provider'),
    max_tokens: z.number().nullish().describe('Like max_completion_tokens'),
    n: z.literal(1).nullish(),
    logprobs: z.boolean().nullish(),
    web_search_options: loose.nullish(),
    service_tier: z.string().nullish(),
    prompt_cache_key: z.string().nullish(),
  })
  .meta({ id: 'ChatRequest' });

export type Delta = z.infer<typeof Delta>;
export type ToolCallDelta = z.infer<typeof ToolCallDelta>;
export type ToolCall = z.infer<typeof ToolCall>;
export type Logprobs = z.infer<typeof Logprobs>;
export type Annotation = z.infer<typeof Annotation>;
export type FinishReason = z.infer<typeof FinishReason>;
export type Usage = z.infer<typeof Usage>;
export type ChatCompletion = z.infer<typeof ChatCompletion>;
export type ChatCompletionChunk = z.infer<typeof ChatCompletionChunk>;
