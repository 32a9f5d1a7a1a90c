import { type Agent, request as send } from 'node:http';

/** What ends an answer: an event of a stream, a whole JSON answer, or a whole error. */
export type Ending = 'completed' | 'incomplete' | 'failed' | 'json' | 'error';

export interface WireUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** What a client saw of its answer. */
export interface Answer {
  status: number | undefined;
  /** From the head of the answer. */
  requestId: string | undefined;
  /** Undefined as long as the end of the answer has not arrived whole. */
  ending: Ending | undefined;
  /** As the end of the answer says; undefined when it does not. */
  usage: WireUsage | undefined;
  /** Code of the error that a whole error answer or `response.failed` carries. */
  code: string | undefined;
  text: string;
  /** The connection broke, by whose doing ever. */
  broke: string | undefined;
}

export interface AskOptions {
  readonly url: string;
  readonly path: string;
  readonly body: object;
  readonly key?: string | undefined;
  readonly agent?: Agent | undefined;
  /** Hangs up when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called within the very read that brought the head of the answer, more of it, or its end. */
  readonly onHead?: ((answer: Answer) => void) | undefined;
  readonly onText?: ((answer: Answer) => void) | undefined;
  readonly onEnding?: ((answer: Answer) => void) | undefined;
}

/** Asks and reads until the answer or the connection has ended. Never rejects: what happened is in the answer. */
export function ask(options: AskOptions): Promise<Answer> {
  const answer: Answer = {
    status: undefined,
    requestId: undefined,
    ending: undefined,
    usage: undefined,
    code: undefined,
    text: '',
    broke: undefined,
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
    const broke = (error: NodeJS.ErrnoException) => {
      answer.broke ??= error.code ?? error.message;
    };
    request.on('error', broke);
    request.on('close', () => resolve(answer));
    request.on('response', (response) => {
      answer.status = response.statusCode;
      answer.requestId = response.headers['x-request-id'] as string | undefined;
      options.onHead?.(answer);
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
      let readUpTo = 0;
      response.setEncoding('utf8');
      response.on('error', broke);
      response.on('data', (text: string) => {
        answer.text += text;
        options.onText?.(answer);
        if (!isStream || answer.ending) return;
        readUpTo = readEvents(answer, readUpTo);
        if (answer.ending) options.onEnding?.(answer);
      });
      response.on('end', () => {
        if (isStream || !response.complete) return;
        readWhole(answer);
        options.onEnding?.(answer);
      });
    });
    request.end(payload);
  });
}

const BLANK_LINE = /\r?\n\r?\n/g;
const TERMINAL = /^event: response\.(completed|incomplete|failed)\r?\ndata: (.*)$/;

/** Looks at the whole events behind `from`. @returns where the first begins that has not come whole */
function readEvents(answer: Answer, from: number): number {
  let start = from;
  BLANK_LINE.lastIndex = from;
  for (let found = BLANK_LINE.exec(answer.text); found; found = BLANK_LINE.exec(answer.text)) {
    const [, ending, data] = TERMINAL.exec(answer.text.slice(start, found.index)) ?? [];
    start = BLANK_LINE.lastIndex;
    if (ending === undefined) continue;
    const { response } = JSON.parse(data as string);
    answer.ending = ending as Ending;
    answer.usage = response.usage ?? undefined;
    answer.code = response.error?.code;
  }
  return start;
}

function readWhole(answer: Answer): void {
  const body = JSON.parse(answer.text);
  answer.ending = answer.status === 200 ? 'json' : 'error';
  answer.usage = body.usage ?? undefined;
  answer.code = body.error?.code;
}
