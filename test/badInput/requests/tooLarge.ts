import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { agentText } from '../support/agentBody.ts';
import { type BadRequest, PATHS } from '../support/badRequest.ts';
import { head } from '../support/wire.ts';

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

/** What unpacks to one byte more than may be. White space in front, so that only the size is wrong. */
export function bombs(): BadRequest[] {
  const plain = Buffer.concat([Buffer.alloc(MAX_DECODED - agentText.length + 1, ' '), Buffer.from(agentText)]);
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
  const gigabyte = Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 * MiB), { level: 1 })));
  const bomb = (name: string, coding: string, body: Uint8Array) =>
    tooLarge(name, { headers: { 'content-encoding': coding }, body });
  const gzipped = gzipSync(plain, { level: 1 });
  return [
    bomb('gzip that unpacks to one byte too many', 'gzip', gzipped),
    bomb('deflate that unpacks to one byte too many', 'deflate', deflateSync(plain, { level: 1 })),
    bomb('br that unpacks to one byte too many', 'br', brotliCompressSync(plain, fast)),
    bomb('zstd that unpacks to one byte too many', 'zstd', zstdCompressSync(plain)),
    bomb('gzip in zstd that unpacks to one byte too many', 'gzip, zstd', zstdCompressSync(gzipped)),
    bomb('a gigabyte of gzip members', 'gzip', gigabyte),
    bomb('a gigabyte of zeros, in gzip in gzip', 'gzip, gzip', gzipSync(gigabyte)),
  ];
}

/** Bodies that are too large as sent; a handful, they are heavy. */
export function oversized(): BadRequest[] {
  const body = new Uint8Array(MAX_RAW + 1).fill(0x20);
  const lines = { path: PATHS.v1, headers: [['content-length', MAX_RAW + 1]] as const };
  return [
    tooLarge('a byte too many, honestly announced', { body }),
    tooLarge('a byte too many in chunks, without a length', { body: streamOf(body, MiB) }),
    tooLarge('twice as many in small chunks', {
      body: streamOf(new Uint8Array(2 * MAX_RAW), 64 * 1_024),
      path: PATHS.svc,
    }),
    tooLarge('too much of gzip, before it is unpacked', { body, headers: { 'content-encoding': 'gzip' } }),
    tooLarge('a byte too many announced, nothing sent', { steps: [head(lines)] }),
    tooLarge('an absurd length announced, nothing sent', {
      steps: [head({ ...lines, headers: [['content-length', Number.MAX_SAFE_INTEGER]] })],
    }),
    tooLarge('a client that waits to hear whether it may go on', {
      steps: [head({ ...lines, headers: [...lines.headers, ['expect', '100-continue']] })],
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
