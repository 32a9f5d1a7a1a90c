import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';

export type Mutation = (bytes: Uint8Array) => Buffer;

/** Where, as a share of the length: a place of one body is a place of every body. */
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (share: number, { length }: Uint8Array) => Math.floor(share * length);

const flip = fc.tuple(place, fc.integer({ min: 0, max: 7 })).map(
  ([share, bit]): Mutation =>
    (bytes) => {
      const changed = Buffer.from(bytes);
      const index = at(share, bytes);
      if (index < changed.length) changed[index] = (changed[index] ?? 0) ^ (1 << bit);
      return changed;
    },
);
const cutOff = place.map(
  (share): Mutation =>
    (bytes) =>
      Buffer.from(bytes.subarray(0, at(share, bytes))),
);
const cutOut = fc.tuple(place, fc.integer({ min: 1, max: 40 })).map(
  ([share, length]): Mutation =>
    (bytes) => {
      const index = at(share, bytes);
      return Buffer.concat([bytes.subarray(0, index), bytes.subarray(index + length)]);
    },
);
const insert = (what: fc.Arbitrary<Uint8Array>) =>
  fc.tuple(place, what).map(
    ([share, inserted]): Mutation =>
      (bytes) => {
        const index = at(share, bytes);
        return Buffer.concat([bytes.subarray(0, index), inserted, bytes.subarray(index)]);
      },
  );
/** What JSON is made of. */
const token = fc
  .constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    ':',
    '\\',
    '0',
    '9',
    '-',
    '.',
    'e9',
    ' ',
    '\n',
    '\t',
    '\0',
    'null',
    'true',
    '{}',
    '[]',
    '""',
    '"a":1,',
    ',"a":1',
    ',1',
    '\\u0000',
    '\\ud800',
    'é',
    '🦊',
    '\ufeff',
  )
  .map((text) => Buffer.from(text));
const double = fc.tuple(place, fc.integer({ min: 1, max: 200 })).map(
  ([share, length]): Mutation =>
    (bytes) => {
      const index = at(share, bytes);
      return Buffer.concat([bytes.subarray(0, index + length), bytes.subarray(index)]);
    },
);
const swap = fc.tuple(place, place).map(
  ([one, other]): Mutation =>
    (bytes) => {
      const changed = Buffer.from(bytes);
      const [a, b] = [at(one, bytes), at(other, bytes)];
      if (bytes.length > 0) [changed[a], changed[b]] = [bytes[b] as number, bytes[a] as number];
      return changed;
    },
);

/** One small change of a body's bytes. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 3, arbitrary: flip },
  { weight: 1, arbitrary: cutOff },
  { weight: 2, arbitrary: cutOut },
  { weight: 1, arbitrary: insert(fc.uint8Array({ minLength: 1, maxLength: 10 })) },
  { weight: 4, arbitrary: insert(token) },
  { weight: 1, arbitrary: double },
  { weight: 1, arbitrary: swap },
);

type Path = readonly (string | number)[];

/** Every place in a value, the outermost first. */
export function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const inner = [...path, Array.isArray(value) ? Number(key) : key];
    return [inner, ...pathsIn((value as Record<string, unknown>)[key], inner)];
  });
}

/** The same value with another one at a place of it. */
export function replaced(whole: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  const copy: Record<string | number, unknown> = Array.isArray(whole)
    ? ([...whole] as never)
    : { ...(whole as object) };
  copy[first] = replaced(copy[first], rest, value);
  return copy;
}

const DECODERS: Readonly<Record<string, (body: Uint8Array) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** A body as it was before its encoding; undefined when it is not encoded so. */
export function decoded(body: Uint8Array, coding: string | undefined): Buffer | undefined {
  if (coding === undefined) return Buffer.from(body);
  try {
    return DECODERS[coding]?.(body);
  } catch {
    return undefined;
  }
}
