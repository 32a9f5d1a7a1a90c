import { importClient } from './clients.ts';

/** The members of the `openai` package that the tests call. */
export type OpenAI = {
  responses: {
    create(body: ResponseBody): Promise<SdkResponse>;
    create(body: ResponseBody & { stream: true }): Promise<AsyncIterable<SdkEvent>>;
    stream(body: ResponseBody): AsyncIterable<SdkEvent> & { finalResponse(): Promise<SdkResponse> };
  };
  chat: {
    completions: {
      create(body: ChatBody & { stream: true }): Promise<AsyncIterable<SdkChunk>>;
      create(body: ChatBody): Promise<SdkCompletion>;
      stream(body: ChatBody): { finalChatCompletion(): Promise<SdkCompletion> };
      runTools(body: ChatBody & { tools: SdkTool[]; stream?: boolean }): { finalContent(): Promise<string> };
    };
  };
};

export type ChatBody = {
  model: string;
  messages: { role: string; content: unknown }[];
  tools?: object[];
  stream_options?: { include_usage: boolean };
};
export type SdkTool = {
  type: 'function';
  function: {
    name: string;
    parameters: object;
    parse: (text: string) => unknown;
    function: (args: unknown) => unknown;
  };
};
export type SdkCompletion = {
  id: string;
  choices: { message: { content: string | null; tool_calls?: object[] }; finish_reason: string }[];
  usage?: object;
};
export type SdkChunk = { id: string; choices: { delta: { content?: string } }[]; usage?: object | null };

export type ResponseBody = { model: string; input: string };
export type SdkEvent = { type: string; delta?: string };
export type SdkResponse = {
  status: string;
  output_text: string;
  usage: { input_tokens: number; output_tokens: number; total_tokens: number };
};

/** @param options.baseUrl the URL before `/responses` and `/chat/completions` */
export async function createOpenAI({ baseUrl, key }: { baseUrl: string; key: string }): Promise<OpenAI> {
  const { default: Client } = await importClient<{ default: new (options: object) => OpenAI }>('openai');
  return new Client({ baseURL: baseUrl, apiKey: key, timeout: 20_000 });
}

type SocketEvent = SdkEvent & { response?: SdkResponse & { id: string } };
interface ResponsesSocket {
  on(event: 'event', listener: (event: SocketEvent) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  send(event: object): void;
  close(): void;
}

/** Opens a websocket with `ResponsesWS`. */
export async function openResponsesSocket(options: { baseUrl: string; key: string }) {
  const { ResponsesWS } = await importClient<{ ResponsesWS: new (client: OpenAI) => ResponsesSocket }>(
    'openai/resources/responses/ws',
  );
  const socket = new ResponsesWS(await createOpenAI(options));
  let current = Promise.withResolvers<SdkResponse & { id: string }>();
  socket.on('error', (error) => current.reject(error));
  socket.on('event', ({ type, response }) => {
    if (type === 'response.completed' && response) current.resolve(response);
  });
  return {
    /** @returns the completed response */
    create(body: ResponseBody & { previous_response_id?: string }): Promise<SdkResponse & { id: string }> {
      current = Promise.withResolvers();
      socket.send({ type: 'response.create', ...body });
      return current.promise;
    },
    close: () => socket.close(),
  };
}
