import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { ProxyError, requestTooLarge } from '../errors/proxyError.ts';
import type { MemoryShare } from './memoryBudget.ts';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Undoes the content encodings of a body, the last one first.
 * @param maxBytes limit of the decoded size, so that a small body cannot exhaust the memory
 * @param share accounts for the memory of `body`, and afterwards for the decoded body instead
 * @throws ProxyError `unsupported_media_type` | `invalid_request_error` | `request_too_large` | `overloaded`
 */
export async function decompress(
  body: Buffer,
  encodings: string,
  maxBytes: number,
  share: MemoryShare,
): Promise<Buffer> {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  // Each encoding can multiply the size, and no client stacks them.
  if (names.length > 2) {
    const problem = 'too many content encodings';
    throw new ProxyError('unsupported_media_type', { problem }, { code: 'invalid_request_error' });
  }
  let decoded = body;
  for (const name of names.toReversed()) {
    const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (!decoder) {
      const problem = `content-encoding '${name.slice(0, 40)}' is not supported; use gzip, deflate, br, zstd or none`;
      throw new ProxyError('unsupported_media_type', { problem }, { code: 'invalid_request_error' });
    }
    const encodedBytes = decoded.length;
    decoded = await decode(decoded, decoder(), name, maxBytes, share);
    share.release(encodedBytes);
  }
  return decoded;
}

/** Acquires memory as it decodes, because the decoded size is not known in advance. */
function decode(body: Buffer, decoder: Transform, name: string, maxBytes: number, share: MemoryShare): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    decoder.on('data', (chunk: Buffer) => {
      try {
        if (size + chunk.length > maxBytes) throw requestTooLarge(maxBytes);
        share.acquire(chunk.length);
      } catch (error) {
        decoder.destroy();
        reject(error as Error);
        return;
      }
      size += chunk.length;
      chunks.push(chunk);
    });
    decoder.once('error', () =>
      reject(new ProxyError('invalid_request_error', { problem: `the body is not valid ${name}` })),
    );
    decoder.once('end', () => resolve(Buffer.concat(chunks, size)));
    decoder.end(body);
  });
}
