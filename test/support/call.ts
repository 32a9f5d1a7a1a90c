import { type IncomingHttpHeaders, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the wire is what the tests are about
  readonly body: any;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** An object goes as JSON, text and bytes as they are. */
  readonly body?: unknown;
}

/** Sends a request over a connection of its own. The answer is read to its end, of a stream of events only its head. */
export function call(port: number, method: string, path: string, { headers = {}, body }: Sent): Promise<Answer> {
  const isPlain = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const payload = isPlain ? body : JSON.stringify(body);
  const framing = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload as string)) };
  const type = isPlain ? framing : { ...framing, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, headers: { ...type, ...headers }, agent: false });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const chunks: Buffer[] = [];
      const { statusCode: status = 0, headers: found } = answer;
      // A stream of events does not end by itself: that it begins is the answer.
      if (found['content-type']?.startsWith('text/event-stream')) {
        answer.destroy();
        resolve({ status, headers: found, text: '', body: undefined });
        return;
      }
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = found['content-type']?.includes('json') ?? false;
        resolve({ status, headers: found, text, body: isJson && text !== '' ? JSON.parse(text) : undefined });
      });
    });
    sent.end(payload);
  });
}
