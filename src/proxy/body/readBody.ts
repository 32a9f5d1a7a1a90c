import type { IncomingMessage } from 'node:http';
import { ProxyError } from '../proxyError.ts';

/** The caller hung up before its request was complete: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * Collects a body as it was sent.
 * @param maxBytes the size as sent, before decompression
 * @throws ProxyError `request_too_large`, ClientGone
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge(maxBytes));
      } else if (!first) {
        first = chunk;
      } else {
        rest ??= [first];
        rest.push(chunk);
      }
    });
    request.on('end', () => resolve(rest ? Buffer.concat(rest, size) : (first ?? Buffer.alloc(0))));
    request.on('error', () => reject(new ClientGone()));
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone());
    });
  });
}

export const tooLarge = (maxBytes: number): ProxyError =>
  new ProxyError('request_too_large', { limit: `${Math.floor(maxBytes / 1_048_576)} MiB` });
