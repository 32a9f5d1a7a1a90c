import type { IncomingMessage } from 'node:http';
import { zstdDecompressSync } from 'node:zlib';
import { jsonOf, type ReceivedRequest } from './received.ts';

/** A request without a body. */
export function receiveHead(req: IncomingMessage, now: () => number): ReceivedRequest {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://provider');
  return {
    method: req.method ?? 'GET',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    body: Buffer.alloc(0),
    decodedBody: undefined,
    json: undefined,
    form: undefined,
    account: undefined,
    at: now(),
    script: undefined,
    status: undefined,
    sentBytes: 0,
    aborted: false,
    finished: false,
    wasReset: false,
    ended: false,
  };
}

/** Reads a request to its end, or until the client disconnects (`aborted`). Never throws. */
export async function receive(
  req: IncomingMessage,
  now: () => number,
  onChunk: (bytes: number) => void = () => undefined,
): Promise<ReceivedRequest> {
  const request = receiveHead(req, now);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) {
      chunks.push(chunk);
      onChunk(chunk.length);
    }
  } catch {
    request.aborted = true;
  }
  request.body = Buffer.concat(chunks);
  request.decodedBody = decode(request);
  const type = req.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) request.form = await formOf(request);
  else if (type.startsWith('application/x-www-form-urlencoded')) {
    request.form = Object.fromEntries(new URLSearchParams(request.decodedBody?.toString('utf8')));
  } else request.json = jsonOf(request.decodedBody);
  return request;
}

function decode({ headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>): Buffer | undefined {
  switch (headers['content-encoding']?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
      return body;
    case 'zstd':
      try {
        return zstdDecompressSync(body);
      } catch {
        return undefined;
      }
    default:
      return undefined;
  }
}

async function formOf({ headers, body }: ReceivedRequest): Promise<ReceivedRequest['form']> {
  const form: NonNullable<ReceivedRequest['form']> = {};
  try {
    const parsed = await new Response(new Uint8Array(body), {
      headers: { 'content-type': headers['content-type'] ?? '' },
    }).formData();
    for (const [name, value] of parsed)
      form[name] =
        typeof value === 'string'
          ? value
          : { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
    return form;
  } catch {
    return undefined;
  }
}
