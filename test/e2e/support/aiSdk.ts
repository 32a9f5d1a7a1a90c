import { importClient } from './clients.ts';

/** `tools`: what each of them says, whatever it is asked. */
export type AiPrompt = { model: string; prompt: string; system?: string; tools?: Record<string, () => string> };
export type AiAnswer = {
  text: string;
  finishReason: string;
  usage: { inputTokens?: number; outputTokens?: number; totalTokens?: number };
};

/** The AI SDK's two ways to ask, over `POST <baseUrl>/responses`. */
export type AiSdk = {
  generateText: (prompt: AiPrompt) => Promise<AiAnswer>;
  /** Collects the stream: `deltas` are its pieces of text in order. @throws the error that the stream carried */
  streamText: (prompt: AiPrompt) => Promise<AiAnswer & { deltas: string[] }>;
};

export async function aiSdk({ baseUrl, key }: { baseUrl: string; key: string }): Promise<AiSdk> {
  const { generateText, jsonSchema, isStepCount, streamText, tool } = await importClient<AiPackage>('ai');
  const { createOpenAI } = await importClient<OpenAiProvider>('@ai-sdk/openai');
  const openai = createOpenAI({ baseURL: baseUrl, apiKey: key });
  const inputSchema = jsonSchema({ type: 'object', additionalProperties: true });
  const call = ({ model, prompt, system, tools = {} }: AiPrompt) => ({
    model: openai.responses(model),
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
  generateText: (options: object) => Promise<AiAnswer>;
  streamText: (options: object & { onError: (event: { error: unknown }) => void }) => {
    textStream: AsyncIterable<string>;
    text: Promise<string>;
    finishReason: Promise<string>;
    usage: Promise<AiAnswer['usage']>;
  };
};

type OpenAiProvider = {
  createOpenAI: (options: { baseURL: string; apiKey: string }) => { responses: (model: string) => object };
};
