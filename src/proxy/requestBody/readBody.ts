import type { ClientRequest } from '../../http/client/client.ts';
import { type BodyListener, PlainRequest } from '../../http/plain/plainRequest.ts';
import { ProxyError } from '../errors/proxyError.ts';
import type { MemoryShare } from './memoryBudget.ts';

/** The client hung up before its request was complete: nobody is left to answer. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientGone';
}

/** Nearly every body is smaller, and often one piece. */
const LARGE_BYTES = 1_048_576;

/**
 * Collects a body as it was sent.
 * @param maxBytes the size as sent, before decompression
 * @param share takes what is announced before it arrives, and what is not while it does
 * @throws ProxyError `request_too_large`, `overloaded`, ClientGone
 */
export function readBody(request: ClientRequest, maxBytes: number, share: MemoryShare): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes));
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  try {
    share.take(announced);
  } catch (error) {
    reject(error);
    return promise;
  }
  collect(request, { announced, maxBytes, share, done: { resolve, reject } });
  return promise;
}

interface Collecting {
  readonly announced: number;
  readonly maxBytes: number;
  readonly share: MemoryShare;
  readonly done: Pick<PromiseWithResolvers<Buffer>, 'resolve' | 'reject'>;
}

function collect(request: ClientRequest, { announced, maxBytes, share, done }: Collecting): void {
  // Collected and put together in the end, a body would be there twice for a moment, and many at once would.
  let whole = announced > LARGE_BYTES ? Buffer.allocUnsafeSlow(announced) : undefined;
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  let size = 0;
  // The listeners live as long as the answer. What has come must not, and a promise holds on to what it was resolved with.
  let open: typeof done | undefined = done;
  const close = () => {
    const closed = open;
    open = undefined;
    whole = undefined;
    first = undefined;
    rest = undefined;
    return closed;
  };
  const refuse = (error: unknown) => {
    discardBody(request);
    close()?.reject(error);
  };
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    if (size > announced) {
      if (size > maxBytes) return refuse(tooLarge(maxBytes));
      try {
        share.take(chunk.length);
      } catch (error) {
        return refuse(error);
      }
    }
    if (whole) {
      whole.set(chunk, size - chunk.length);
    } else if (!first) {
      first = chunk;
    } else {
      rest ??= [first];
      rest.push(chunk);
    }
  };
  const onEnd = () => {
    const body = whole ?? (rest ? Buffer.concat(rest, size) : (first ?? Buffer.alloc(0)));
    close()?.resolve(body);
  };
  receiveBody(request, { onData, onEnd, onGone: () => close()?.reject(new ClientDisconnected()) });
}

function receiveBody(request: ClientRequest, listener: BodyListener): void {
  if (request instanceof PlainRequest) {
    request.receive(listener);
    return;
  }
  request.on('data', listener.onData);
  request.on('end', listener.onEnd);
  request.on('error', listener.onGone);
  request.on('close', () => {
    if (!request.complete) listener.onGone();
  });
}

function discardBody(request: ClientRequest): void {
  if (request instanceof PlainRequest) request.discard();
  else request.removeAllListeners('data').resume();
}

export const tooLarge = (maxBytes: number): ProxyError =>
  new ProxyError('request_too_large', { limit: `${Math.floor(maxBytes / 1_048_576)} MiB` });
