import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Random } from '../../support/random.ts';
import { agentText } from '../support/agentBody.ts';
import { alternatingRoutes, type BadRequest, invalidBody } from '../support/badRequest.ts';

const json = Buffer.from(agentText);
export const CODINGS: Readonly<Record<string, (body: Uint8Array) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

const encoded = (name: string, coding: string, body: Uint8Array) =>
  invalidBody(name, body, { param: null, headers: { 'content-encoding': coding } });

/** Bodies that do not match their Content-Encoding. */
export const contentEncoding = (random: Random): BadRequest[] =>
  alternatingRoutes([
    ...Object.entries(CODINGS).flatMap(([coding, encode]) => {
      const body = encode(json);
      const others = Object.keys(CODINGS).filter((other) => other !== coding);
      const cuts = [1, 2, 10, body.length - 1, ...Array.from({ length: 4 }, () => 1 + random.below(body.length - 2))];
      return [
        encoded(`${coding} expected, plain JSON`, coding, json),
        encoded(`${coding} expected, empty body`, coding, Buffer.alloc(0)),
        encoded(`${coding} expected, random bytes`, coding, randomBytes(random)),
        encoded(`${coding} after other bytes`, coding, Buffer.concat([Buffer.from([0, 1, 2]), body])),
        ...others.map((other) =>
          encoded(`${coding} expected, ${other}`, coding, (CODINGS[other] as typeof encode)(json)),
        ),
        ...cuts.map((at) => encoded(`${coding} truncated after ${at} bytes`, coding, body.subarray(0, at))),
        encoded(`${coding} of truncated JSON`, coding, encode(json.subarray(0, -1))),
        encoded(`${coding} of invalid UTF-8`, coding, encode(Buffer.from([0x7b, 0xff, 0x7d]))),
        encoded(`${coding} of an empty body`, coding, encode(Buffer.alloc(0))),
        encoded(`${coding} applied twice, declared once`, coding, encode(body)),
        encoded(`${coding} applied once, declared twice`, `${coding}, ${coding}`, body),
      ];
    }),
    encoded('deflate without its header', 'deflate', deflateRawSync(json)),
    encoded('gzip with a wrong checksum', 'gzip', withLastByteFlipped(gzipSync(json), 5)),
    encoded('gzip with a wrong length', 'gzip', withLastByteFlipped(gzipSync(json), 1)),
    encoded('two encodings in the wrong order', 'br, gzip', brotliCompressSync(gzipSync(json))),
    ...[
      'compress',
      'x-compress',
      'lzma',
      'snappy',
      'aws-chunked',
      'utf-8',
      'base64',
      '*',
      'gzip;q=1',
      '__proto__',
      'constructor',
      'toString',
    ].map((coding) => encoded(`the unknown encoding ${coding}`, coding, json)),
    encoded('an encoding with a long name', 'x'.repeat(5_000), json),
  ]);

const randomBytes = (random: Random) => Buffer.from(Array.from({ length: 500 }, () => random.below(256)));

function withLastByteFlipped(body: Buffer, fromEnd: number): Buffer {
  const changed = Buffer.from(body);
  changed[changed.length - fromEnd] = (changed.at(-fromEnd) ?? 0) ^ 1;
  return changed;
}
