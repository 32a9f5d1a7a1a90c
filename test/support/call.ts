import { type IncomingHttpHeaders, request } from 'node:http';

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly body: any;
}

export interface SentRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON, text and bytes unchanged. */
  readonly body?: unknown;
}

/** Sends a request on a new connection. Reads the whole response, or only the head of an event stream. */
export function call(
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: SentRequest,
): Promise<ReceivedResponse> {
  const isPlain = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const payload = isPlain ? body : JSON.stringify(body);
  const framing = payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload as string)) };
  const type = isPlain ? framing : { ...framing, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, headers: { ...type, ...headers }, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      const { statusCode: status = 0, headers: found } = response;
      // An event stream has no end: its head is the result.
      if (found['content-type']?.startsWith('text/event-stream')) {
        response.destroy();
        resolve({ status, headers: found, text: '', body: undefined });
        return;
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = found['content-type']?.includes('json') ?? false;
        resolve({ status, headers: found, text, body: isJson && text !== '' ? JSON.parse(text) : undefined });
      });
    });
    sent.end(payload);
  });
}
