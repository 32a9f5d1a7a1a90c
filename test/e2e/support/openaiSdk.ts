import { importClient } from './clients.ts';

/** The members of the `openai` package that the tests call. */
export type OpenAI = {
  responses: {
    create(body: ResponseBody): Promise<SdkResponse>;
    create(body: ResponseBody & { stream: true }): Promise<AsyncIterable<SdkEvent>>;
    stream(body: ResponseBody): AsyncIterable<SdkEvent> & { finalResponse(): Promise<SdkResponse> };
  };
};

export type ResponseBody = { model: string; input: string };
export type SdkEvent = { type: string; delta?: string };
export type SdkResponse = {
  status: string;
  output_text: string;
  usage: { input_tokens: number; output_tokens: number; total_tokens: number };
};

/** The SDK as its README starts it; `baseUrl` is what stands before `/responses`. */
export async function openaiSdk({ baseUrl, key }: { baseUrl: string; key: string }): Promise<OpenAI> {
  const { default: Client } = await importClient<{ default: new (options: object) => OpenAI }>('openai');
  return new Client({ baseURL: baseUrl, apiKey: key, timeout: 20_000 });
}
