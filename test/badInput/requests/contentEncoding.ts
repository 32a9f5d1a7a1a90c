import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { agentText } from '../support/agentBody.ts';
import { type BadRequest, invalidBody, onEitherRoute } from '../support/badRequest.ts';
import type { Random } from '../support/random.ts';

const json = Buffer.from(agentText);
export const CODINGS: Readonly<Record<string, (body: Uint8Array) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

const encoded = (name: string, coding: string, body: Uint8Array) =>
  invalidBody(name, body, { param: null, headers: { 'content-encoding': coding } });

/** Bodies that are not encoded as they say. */
export const contentEncoding = (random: Random): BadRequest[] =>
  onEitherRoute([
    ...Object.entries(CODINGS).flatMap(([coding, encode]) => {
      const body = encode(json);
      const others = Object.keys(CODINGS).filter((other) => other !== coding);
      const cuts = [1, 2, 10, body.length - 1, ...Array.from({ length: 4 }, () => 1 + random.below(body.length - 2))];
      return [
        encoded(`says ${coding} and is plain JSON`, coding, json),
        encoded(`says ${coding} and is nothing`, coding, Buffer.alloc(0)),
        encoded(`says ${coding} and is noise`, coding, noise(random)),
        encoded(`says ${coding} with noise in front`, coding, Buffer.concat([Buffer.from([0, 1, 2]), body])),
        ...others.map((other) =>
          encoded(`says ${coding} and is ${other}`, coding, (CODINGS[other] as typeof encode)(json)),
        ),
        ...cuts.map((at) => encoded(`${coding} cut after ${at} bytes`, coding, body.subarray(0, at))),
        encoded(`${coding} of cut JSON`, coding, encode(json.subarray(0, -1))),
        encoded(`${coding} of bad UTF-8`, coding, encode(Buffer.from([0x7b, 0xff, 0x7d]))),
        encoded(`${coding} of an empty body`, coding, encode(Buffer.alloc(0))),
        encoded(`${coding} twice and says so once`, coding, encode(body)),
        encoded(`${coding} once and says so twice`, `${coding}, ${coding}`, body),
      ];
    }),
    encoded('deflate without its header', 'deflate', deflateRawSync(json)),
    encoded('gzip whose checksum is wrong', 'gzip', withLastByteFlipped(gzipSync(json), 5)),
    encoded('gzip whose length is wrong', 'gzip', withLastByteFlipped(gzipSync(json), 1)),
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

const noise = (random: Random) => Buffer.from(Array.from({ length: 500 }, () => random.below(256)));

function withLastByteFlipped(body: Buffer, fromEnd: number): Buffer {
  const changed = Buffer.from(body);
  changed[changed.length - fromEnd] = (changed.at(-fromEnd) ?? 0) ^ 1;
  return changed;
}
