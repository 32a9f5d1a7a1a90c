import { hash as digest } from 'node:crypto';

/** The hashes of a Merkle tree as RFC 6962, section 2.1, defines them: SHA-256 with a prefix for leaves and one for nodes. */

export const HASH_BYTES = 32;

const LEAF_PREFIX = '\0';
const NODE_PREFIX = 1;

// One-shot hashes to latin1 cost a fifth of those to a Buffer, and the text of a hash is written to its place anyway.
const sha256 = (bytes: Uint8Array | string): string => digest('sha256', bytes, 'binary');

const pair = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_PREFIX);

/** The root of the tree without leaves. */
export const EMPTY_ROOT: Buffer = Buffer.from(sha256(''), 'latin1');

/** An entry of a tile's bundle with its prefix. */
const prefixedEntry = Buffer.alloc(1 + 0xffff);

/** Writes `SHA-256(0x00 || entry)` to `target`; text is hashed as UTF-8. */
export function writeLeafHash(entry: string | Buffer, target: Buffer, offset: number): void {
  const prefixed = typeof entry === 'string' ? LEAF_PREFIX + entry : withLeafPrefix(entry);
  target.write(sha256(prefixed), offset, HASH_BYTES, 'latin1');
}

/** @returns bytes that are valid until the next call, which saves a buffer for each entry */
function withLeafPrefix(entry: Buffer): Buffer {
  if (entry.length >= prefixedEntry.length) return Buffer.concat([Buffer.of(0), entry]);
  entry.copy(prefixedEntry, 1);
  return prefixedEntry.subarray(0, 1 + entry.length);
}

/**
 * The hash of a leaf as text, a character for each byte, for a caller that writes many at once and reads the entry again.
 * @returns the entry, too, joined: hashing the prefixed text has joined its parts, which the entry alone would need once more
 */
export function leafHashText(entry: string): { readonly hash: string; readonly joined: string } {
  const prefixed = LEAF_PREFIX + entry;
  return { hash: sha256(prefixed), joined: prefixed.slice(LEAF_PREFIX.length) };
}

/** The hash of a leaf, of its entry as UTF-8 text or bytes. */
export function leafHash(entry: string | Buffer): Buffer {
  const hash = Buffer.allocUnsafe(HASH_BYTES);
  writeLeafHash(entry, hash, 0);
  return hash;
}

/** The hash of an inner node. */
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(pair, 1, 0, HASH_BYTES);
  right.copy(pair, 1 + HASH_BYTES, 0, HASH_BYTES);
  return Buffer.from(sha256(pair), 'latin1');
}

const NODE_BYTES = 1 + 2 * HASH_BYTES;
const MAX_NODES = 128;
/** The nodes of one level as they are hashed: writing them at once and viewing them in place costs less than copying each. */
const nodes = Buffer.alloc(MAX_NODES * NODE_BYTES);
const nodeViews = Array.from(
  { length: MAX_NODES },
  (_, index) => new Uint8Array(nodes.buffer, nodes.byteOffset + index * NODE_BYTES, NODE_BYTES),
);
const NODE_PREFIX_TEXT = String.fromCharCode(NODE_PREFIX);

/**
 * The root of a full subtree.
 * @param hashes the concatenated hashes of its 1, 2, 4, ... or 256 leaves
 */
export function fullSubtreeRoot(hashes: Buffer): Buffer {
  let width = hashes.length / HASH_BYTES / 2;
  if (width < 1) return Buffer.from(hashes);
  for (let from = 0, to = 0; from < hashes.length; from += 1, to += 1) {
    if (from % (2 * HASH_BYTES) === 0) nodes[to++] = NODE_PREFIX;
    nodes[to] = hashes[from] as number;
  }
  for (; width > 1; width /= 2) {
    let above = '';
    for (let index = 0; index < width; index += 2) {
      above += NODE_PREFIX_TEXT + sha256(nodeViews[index] as Uint8Array) + sha256(nodeViews[index + 1] as Uint8Array);
    }
    nodes.write(above, 0, above.length, 'latin1');
  }
  return Buffer.from(sha256(nodeViews[0] as Uint8Array), 'latin1');
}
