import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { ProxyError } from '../proxyError.ts';
import { tooLarge } from './readBody.ts';

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip) as Decoder,
  'x-gzip': promisify(gunzip) as Decoder,
  deflate: promisify(inflate) as Decoder,
  br: promisify(brotliDecompress) as Decoder,
  zstd: promisify(zstdDecompress) as Decoder,
};

/**
 * Undoes the content encodings of a body, last one first.
 * @param maxBytes the decoded size, so that a small body cannot fill the memory
 * @throws ProxyError `unsupported_media_type` | `invalid_request_error` | `request_too_large`
 */
export async function decompress(body: Buffer, encodings: string, maxBytes: number): Promise<Buffer> {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  // Each encoding may multiply the size, and no client stacks them.
  if (names.length > 2)
    throw new ProxyError(
      'unsupported_media_type',
      { problem: 'too many content encodings' },
      { code: 'invalid_request_error' },
    );
  let decoded = body;
  for (const name of names.toReversed()) {
    const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (!decoder) {
      const problem = `content-encoding '${name.slice(0, 40)}' is not supported; use gzip, deflate, br, zstd or none`;
      throw new ProxyError('unsupported_media_type', { problem }, { code: 'invalid_request_error' });
    }
    try {
      decoded = await decoder(decoded, { maxOutputLength: maxBytes });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
      throw new ProxyError('invalid_request_error', { problem: `the body is not valid ${name}` });
    }
  }
  return decoded;
}
