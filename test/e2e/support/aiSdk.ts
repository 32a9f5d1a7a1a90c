import { importClient } from './clients.ts';

/** `tools`: the result of each tool, whatever its arguments. */
export type AiPrompt = { model: string; prompt: string; system?: string; tools?: Record<string, () => string> };
export type AiResult = {
  text: string;
  finishReason: string;
  usage: { inputTokens?: number; outputTokens?: number; totalTokens?: number };
};

/** The package and model class of the SDK: for the responses API, or one of two for the chat API. */
export type AiProvider = 'responses' | 'chat' | 'compatible';

/** The two functions of the AI SDK, over `POST <baseUrl>/responses` or `POST <baseUrl>/chat/completions`. */
export type AiSdk = {
  generateText: (prompt: AiPrompt) => Promise<AiResult>;
  /** Collects the stream: `deltas` are its pieces of text. @throws the error in the stream */
  streamText: (prompt: AiPrompt) => Promise<AiResult & { deltas: string[] }>;
};

export async function createAiSdk({
  baseUrl,
  key,
  provider = 'responses',
}: {
  baseUrl: string;
  key: string;
  provider?: AiProvider;
}): Promise<AiSdk> {
  const { generateText, jsonSchema, isStepCount, streamText, tool } = await importClient<AiPackage>('ai');
  const modelOf = await modelsOf(provider, { baseURL: baseUrl, apiKey: key });
  const inputSchema = jsonSchema({ type: 'object', additionalProperties: true });
  const call = ({ model, prompt, system, tools = {} }: AiPrompt) => ({
    model: modelOf(model),
    prompt,
    ...(system === undefined ? {} : { system }),
    tools: Object.fromEntries(Object.entries(tools).map(([name, execute]) => [name, tool({ inputSchema, execute })])),
    stopWhen: isStepCount(3),
    abortSignal: AbortSignal.timeout(20_000),
  });

  return {
    generateText: async (prompt) => {
      const { text, finishReason, usage } = await generateText(call(prompt));
      return { text, finishReason, usage };
    },
    streamText: async (prompt) => {
      let failure: unknown;
      const result = streamText({
        ...call(prompt),
        onError: ({ error }) => {
          failure ??= error;
        },
      });
      const deltas: string[] = [];
      for await (const delta of result.textStream) deltas.push(delta);
      if (failure !== undefined) throw failure;
      return { text: await result.text, finishReason: await result.finishReason, usage: await result.usage, deltas };
    },
  };
}

type AiPackage = {
  jsonSchema: (schema: object) => object;
  isStepCount: (steps: number) => object;
  tool: (tool: { inputSchema: object; execute: () => string }) => object;
  generateText: (options: object) => Promise<AiResult>;
  streamText: (options: object & { onError: (event: { error: unknown }) => void }) => {
    textStream: AsyncIterable<string>;
    text: Promise<string>;
    finishReason: Promise<string>;
    usage: Promise<AiResult['usage']>;
  };
};

async function modelsOf(provider: AiProvider, options: ProviderOptions): Promise<(model: string) => object> {
  if (provider === 'compatible') {
    const { createOpenAICompatible } = await importClient<CompatibleProvider>('@ai-sdk/openai-compatible');
    return createOpenAICompatible({ name: 'svc', includeUsage: true, ...options });
  }
  const { createOpenAI } = await importClient<OpenAiProvider>('@ai-sdk/openai');
  return createOpenAI(options)[provider];
}

type ProviderOptions = { baseURL: string; apiKey: string };
type OpenAiProvider = {
  createOpenAI: (options: ProviderOptions) => Record<'responses' | 'chat', (model: string) => object>;
};
type CompatibleProvider = {
  createOpenAICompatible: (
    options: ProviderOptions & { name: string; includeUsage: boolean },
  ) => (model: string) => object;
};
