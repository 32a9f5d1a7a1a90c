import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';

export type Mutation = (bytes: Uint8Array) => Buffer;

/** A position as a fraction of the length, so that it applies to every body. */
const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (share: number, { length }: Uint8Array) => Math.floor(share * length);

const flip = fc.tuple(position, fc.integer({ min: 0, max: 7 })).map(
  ([share, bit]): Mutation =>
    (bytes) => {
      const changed = Buffer.from(bytes);
      const index = at(share, bytes);
      if (index < changed.length) changed[index] = (changed[index] ?? 0) ^ (1 << bit);
      return changed;
    },
);
const truncate = position.map(
  (share): Mutation =>
    (bytes) =>
      Buffer.from(bytes.subarray(0, at(share, bytes))),
);
const remove = fc.tuple(position, fc.integer({ min: 1, max: 40 })).map(
  ([share, length]): Mutation =>
    (bytes) => {
      const index = at(share, bytes);
      return Buffer.concat([bytes.subarray(0, index), bytes.subarray(index + length)]);
    },
);
const insert = (bytesToInsert: fc.Arbitrary<Uint8Array>) =>
  fc.tuple(position, bytesToInsert).map(
    ([share, inserted]): Mutation =>
      (bytes) => {
        const index = at(share, bytes);
        return Buffer.concat([bytes.subarray(0, index), inserted, bytes.subarray(index)]);
      },
  );
/** Tokens of JSON. */
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
const duplicate = fc.tuple(position, fc.integer({ min: 1, max: 200 })).map(
  ([share, length]): Mutation =>
    (bytes) => {
      const index = at(share, bytes);
      return Buffer.concat([bytes.subarray(0, index + length), bytes.subarray(index)]);
    },
);
const swap = fc.tuple(position, position).map(
  ([one, other]): Mutation =>
    (bytes) => {
      const changed = Buffer.from(bytes);
      const [a, b] = [at(one, bytes), at(other, bytes)];
      if (bytes.length > 0) [changed[a], changed[b]] = [bytes[b] as number, bytes[a] as number];
      return changed;
    },
);

/** A small change of a body's bytes. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 3, arbitrary: flip },
  { weight: 1, arbitrary: truncate },
  { weight: 2, arbitrary: remove },
  { weight: 1, arbitrary: insert(fc.uint8Array({ minLength: 1, maxLength: 10 })) },
  { weight: 4, arbitrary: insert(token) },
  { weight: 1, arbitrary: duplicate },
  { weight: 1, arbitrary: swap },
);

type Path = readonly (string | number)[];

/** The paths of all nested values, outermost first. */
export function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const inner = [...path, Array.isArray(value) ? Number(key) : key];
    return [inner, ...pathsIn((value as Record<string, unknown>)[key], inner)];
  });
}

/** A copy of a value with the nested value at `path` replaced. */
export function replaceAt(outer: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  const copy: Record<string | number, unknown> = Array.isArray(outer)
    ? ([...outer] as never)
    : { ...(outer as object) };
  copy[first] = replaceAt(copy[first], rest, value);
  return copy;
}

const DECODERS: Readonly<Record<string, (body: Uint8Array) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** @returns the decoded body; undefined when its encoding is invalid */
export function decode(body: Uint8Array, coding: string | undefined): Buffer | undefined {
  if (coding === undefined) return Buffer.from(body);
  try {
    return DECODERS[coding]?.(body);
  } catch {
    return undefined;
  }
}
