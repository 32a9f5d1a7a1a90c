import { EventParked } from '../domain/outbox/events.ts';

/** The hashes in the metadata of a stored event. */
export interface StoredChain {
  /** Undefined for an event that svc did not write. */
  readonly previousHash: string | undefined;
  readonly hash: string | undefined;
}

const NONE: StoredChain = { previousHash: undefined, hash: undefined };

/**
 * Reads the hashes from metadata as stored, without parsing it: metadata that svc wrote ends with
 * `"previousHash":"<64>","hash":"<64>"}`. JSON that is spelled in another way is parsed.
 */
export function chainOf(metadata: string): StoredChain {
  const written = chainAtEnd(metadata);
  if (written) return written;
  const { previousHash, hash } = (parseJson(metadata) ?? NONE) as StoredChain;
  return { previousHash, hash };
}

/** `chainOf` without parsing. @returns undefined for metadata that is spelled in another way */
export function chainAtEnd(metadata: string): StoredChain | undefined {
  const end = metadata.length;
  if (!metadata.startsWith('"previousHash":"', end - 156) || !metadata.startsWith('","hash":"', end - 76))
    return undefined;
  return { previousHash: metadata.slice(end - 140, end - 76), hash: metadata.slice(end - 66, end - 2) };
}

const QUOTE = 0x22;
const H = 0x68;

/**
 * `chainOf` for the usual case: the metadata of an event that svc wrote and that continues the hash `before`. Every event of a
 * start comes through here.
 * @returns the event's own hash; undefined when `chainOf` has to tell
 */
export function hashAfter(before: string, metadata: string): string | undefined {
  const end = metadata.length;
  // 64 characters that are the expected hash, where svc writes it, and then the field `hash`.
  const isAsWritten =
    metadata.charCodeAt(end - 76) === QUOTE &&
    metadata.charCodeAt(end - 73) === H &&
    metadata.charCodeAt(end - 67) === QUOTE &&
    metadata.charCodeAt(end - 2) === QUOTE;
  return isAsWritten && metadata.slice(end - 140, end - 76) === before ? metadata.slice(end - 66, end - 2) : undefined;
}

/** The hash that the next event of the stream continues (docs/decisions/0006-chain-rule.md). */
export const continuedHashOf = (type: string, data: string, { hash }: StoredChain): string | undefined =>
  type === EventParked.type ? (parseJson(data) as { readonly hash?: string } | undefined)?.hash : hash;

/** @returns undefined for text that is not JSON */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
