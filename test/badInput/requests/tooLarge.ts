import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { agentText } from '../support/agentBody.ts';
import { type BadRequest, PATHS } from '../support/badRequest.ts';
import { head } from '../support/rawHttp.ts';

const MiB = 1_048_576;
const MAX_RAW = 32 * MiB;
const MAX_DECODED = 128 * MiB;

const tooLarge = (name: string, rest: Partial<BadRequest>): BadRequest => ({
  name,
  path: PATHS.v1,
  isLogged: true,
  expected: { status: 413, code: 'request_too_large', param: null },
  ...rest,
});

/** Bodies that decompress to one byte over the limit. White space in front, so that only the size is wrong. */
export function decompressionBombs(): BadRequest[] {
  const plain = Buffer.concat([Buffer.alloc(MAX_DECODED - agentText.length + 1, ' '), Buffer.from(agentText)]);
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const gigabyte = Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * MiB), { level: 1 })));
  const bomb = (name: string, coding: string, body: Uint8Array) =>
    tooLarge(name, { headers: { 'content-encoding': coding }, body });
  const gzipped = gzipSync(plain, { level: 1 });
  return [
    bomb('gzip that decompresses to one byte over the limit', 'gzip', gzipped),
    bomb('deflate that decompresses to one byte over the limit', 'deflate', deflateSync(plain, { level: 1 })),
    bomb('br that decompresses to one byte over the limit', 'br', brotliCompressSync(plain, fast)),
    bomb('zstd that decompresses to one byte over the limit', 'zstd', zstdCompressSync(plain)),
    bomb('gzip in zstd that decompresses to one byte over the limit', 'gzip, zstd', zstdCompressSync(gzipped)),
    bomb('a gigabyte of gzip members', 'gzip', gigabyte),
    bomb('a gigabyte of zeros, in gzip in gzip', 'gzip, gzip', gzipSync(gigabyte)),
  ];
}

/** Bodies that are too large as sent. Only a few, because they are expensive. */
export function oversized(): BadRequest[] {
  const body = new Uint8Array(MAX_RAW + 1).fill(0x20);
  const options = { path: PATHS.v1, headers: [['content-length', MAX_RAW + 1]] as const };
  return [
    tooLarge('one byte over the limit, with Content-Length', { body }),
    tooLarge('one byte over the limit in chunks', { body: streamOf(body, MiB) }),
    tooLarge('twice the limit in small chunks', {
      body: streamOf(new Uint8Array(2 * MAX_RAW), 64 * 1_024),
      path: PATHS.svc,
    }),
    tooLarge('gzip over the limit before decompression', { body, headers: { 'content-encoding': 'gzip' } }),
    tooLarge('a Content-Length one byte over the limit, without a body', { steps: [head(options)] }),
    tooLarge('a huge Content-Length, without a body', {
      steps: [head({ ...options, headers: [['content-length', Number.MAX_SAFE_INTEGER]] })],
    }),
    tooLarge('a client that expects 100 Continue', {
      steps: [head({ ...options, headers: [...options.headers, ['expect', '100-continue']] })],
    }),
  ];
}

function streamOf(body: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(body.slice(at, at + size));
      at += size;
      if (at >= body.length) controller.close();
    },
  });
}
