import { type Agent, request as send } from 'node:http';

/** How a response ended: with a terminal event of a stream, as complete JSON, or as a complete error. */
export type Ending = 'completed' | 'incomplete' | 'failed' | 'json' | 'error';

export interface ReportedUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** What a client received. */
export interface ClientResponse {
  status: number | undefined;
  /** The `retry-after` header. */
  retryAfter: string | undefined;
  /** The `x-request-id` header. */
  requestId: string | undefined;
  /** Undefined until the end of the response has arrived completely. */
  ending: Ending | undefined;
  /** From the end of the response; undefined when that has none. */
  usage: ReportedUsage | undefined;
  /** The error code of a complete error response or of `response.failed`. */
  code: string | undefined;
  text: string;
  /** Why the connection broke, whichever side broke it. */
  connectionError: string | undefined;
}

export interface SendOptions {
  readonly url: string;
  readonly path: string;
  readonly body: object;
  readonly key?: string | undefined;
  readonly agent?: Agent | undefined;
  /** Disconnects when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called synchronously in the read that brought the head of the response, some of its body, or its end. */
  readonly onHead?: ((response: ClientResponse) => void) | undefined;
  readonly onText?: ((response: ClientResponse) => void) | undefined;
  readonly onEnding?: ((response: ClientResponse) => void) | undefined;
}

/** Sends a POST and reads until the response or the connection has ended. Never rejects: errors are part of the result. */
export function sendRequest(options: SendOptions): Promise<ClientResponse> {
  const received: ClientResponse = {
    status: undefined,
    retryAfter: undefined,
    requestId: undefined,
    ending: undefined,
    usage: undefined,
    code: undefined,
    text: '',
    connectionError: undefined,
  };
  const payload = Buffer.from(JSON.stringify(options.body));
  return new Promise((resolve) => {
    const request = send(options.url + options.path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': payload.length,
        ...(options.key !== undefined && { authorization: `Bearer ${options.key}` }),
      },
      ...(options.agent && { agent: options.agent }),
      ...(options.signal && { signal: options.signal }),
    });
    const onError = (error: NodeJS.ErrnoException) => {
      received.connectionError ??= error.code ?? error.message;
    };
    request.on('error', onError);
    request.on('close', () => resolve(received));
    request.on('response', (response) => {
      received.status = response.statusCode;
      received.retryAfter = response.headers['retry-after'];
      received.requestId = response.headers['x-request-id'] as string | undefined;
      options.onHead?.(received);
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
      let readUpTo = 0;
      response.setEncoding('utf8');
      response.on('error', onError);
      response.on('data', (text: string) => {
        received.text += text;
        options.onText?.(received);
        if (!isStream || received.ending) return;
        readUpTo = readEvents(received, readUpTo);
        if (received.ending) options.onEnding?.(received);
      });
      response.on('end', () => {
        if (isStream || !response.complete) return;
        readJson(received);
        options.onEnding?.(received);
      });
    });
    request.end(payload);
  });
}

const BLANK_LINE = /\r?\n\r?\n/g;
const TERMINAL = /^event: response\.(completed|incomplete|failed)\r?\ndata: (.*)$/;

/** Reads the complete events from offset `from` on. @returns the offset of the first incomplete event */
function readEvents(received: ClientResponse, from: number): number {
  let start = from;
  BLANK_LINE.lastIndex = from;
  for (let found = BLANK_LINE.exec(received.text); found; found = BLANK_LINE.exec(received.text)) {
    const [, ending, data] = TERMINAL.exec(received.text.slice(start, found.index)) ?? [];
    start = BLANK_LINE.lastIndex;
    if (ending === undefined) continue;
    const { response } = JSON.parse(data as string);
    received.ending = ending as Ending;
    received.usage = response.usage ?? undefined;
    received.code = response.error?.code;
  }
  return start;
}

function readJson(received: ClientResponse): void {
  const body = JSON.parse(received.text);
  received.ending = received.status === 200 ? 'json' : 'error';
  received.usage = body.usage ?? undefined;
  received.code = body.error?.code;
}
