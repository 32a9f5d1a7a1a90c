import type { ClientRequest } from '../../http/client/clientRequest.ts';
import { type BodyListener, PlainRequest } from '../../http/plain/plainRequest.ts';
import { requestTooLarge } from '../errors/proxyError.ts';
import type { MemoryShare } from './memoryBudget.ts';

/** The client disconnected before its request was complete, so no response can be sent. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

/** Nearly every body is smaller, and often arrives in one piece. */
const MIN_PREALLOCATED_BYTES = 1_048_576;

/**
 * Collects a body, still compressed if the client compressed it.
 * @param maxBytes the size as sent, before decompression
 * @param share acquires the Content-Length at once, and bytes of a body without one as they arrive
 * @throws ProxyError `request_too_large`, `overloaded`; ClientDisconnected
 */
export function readBody(request: ClientRequest, maxBytes: number, share: MemoryShare): Promise<Buffer> {
  const contentLength = Number(request.headers['content-length'] ?? 0);
  if (contentLength > maxBytes) return Promise.reject(requestTooLarge(maxBytes));
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  try {
    share.acquire(contentLength);
  } catch (error) {
    reject(error);
    return promise;
  }
  collect(request, { contentLength, maxBytes, share, result: { resolve, reject } });
  return promise;
}

interface CollectOptions {
  readonly contentLength: number;
  readonly maxBytes: number;
  readonly share: MemoryShare;
  readonly result: Pick<PromiseWithResolvers<Buffer>, 'resolve' | 'reject'>;
}

function collect(request: ClientRequest, { contentLength, maxBytes, share, result }: CollectOptions): void {
  // Concatenating the chunks of a large body at the end would double its memory for a moment.
  let preallocated = contentLength > MIN_PREALLOCATED_BYTES ? Buffer.allocUnsafeSlow(contentLength) : undefined;
  let firstChunk: Buffer | undefined;
  let chunks: Buffer[] | undefined;
  let size = 0;
  // The listeners live as long as the response. They must not keep the body alive, nor the promise, which references it.
  let pending: typeof result | undefined = result;
  const settle = () => {
    const settled = pending;
    pending = undefined;
    preallocated = undefined;
    firstChunk = undefined;
    chunks = undefined;
    return settled;
  };
  const fail = (error: unknown) => {
    discardBody(request);
    settle()?.reject(error);
  };
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size > contentLength) {
      if (size > maxBytes) return fail(requestTooLarge(maxBytes));
      try {
        share.acquire(chunk.length);
      } catch (error) {
        return fail(error);
      }
    }
    if (preallocated) {
      preallocated.set(chunk, size - chunk.length);
    } else if (!firstChunk) {
      firstChunk = chunk;
    } else {
      chunks ??= [firstChunk];
      chunks.push(chunk);
    }
  };
  const onEnd = () => {
    const body = preallocated ?? (chunks ? Buffer.concat(chunks, size) : (firstChunk ?? Buffer.alloc(0)));
    settle()?.resolve(body);
  };
  receiveBody(request, { onData, onEnd, onDisconnect: () => settle()?.reject(new ClientDisconnected()) });
}

function receiveBody(request: ClientRequest, listener: BodyListener): void {
  if (request instanceof PlainRequest) {
    request.receive(listener);
    return;
  }
  request.on('data', listener.onData);
  request.on('end', listener.onEnd);
  request.on('error', listener.onDisconnect);
  request.on('close', () => {
    if (!request.complete) listener.onDisconnect();
  });
}

function discardBody(request: ClientRequest): void {
  if (request instanceof PlainRequest) request.discard();
  else request.removeAllListeners('data').resume();
}
