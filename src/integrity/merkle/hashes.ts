import { hash as digest } from 'node:crypto';

/** The hashes of a Merkle tree as RFC 6962, section 2.1, defines them: SHA-256 with a prefix for leaves and one for nodes. */

export const HASH_BYTES = 32;

const LEAF_PREFIX = '\0';
const NODE_PREFIX = 1;

// One-shot hashes to latin1 cost a fifth of those to a Buffer, and the text of a hash is written to its place anyway.
const sha256 = (bytes: Buffer | string): string => digest('sha256', bytes, 'binary');

const pair = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_PREFIX);

/** The root of the tree without leaves. */
export const EMPTY_ROOT: Buffer = Buffer.from(sha256(''), 'latin1');

/** Writes `SHA-256(0x00 || entry)` to `target`; text is hashed as UTF-8. */
export function writeLeafHash(entry: string | Buffer, target: Buffer, offset: number): void {
  const prefixed = typeof entry === 'string' ? LEAF_PREFIX + entry : Buffer.concat([Buffer.of(0), entry]);
  target.write(sha256(prefixed), offset, HASH_BYTES, 'latin1');
}

/**
 * `writeLeafHash` for an entry of many parts that is read again.
 * @returns the entry, joined: hashing the prefixed text has joined its parts, which the entry alone would need once more
 */
export function writeJoinedLeafHash(entry: string, target: Buffer, offset: number): string {
  const prefixed = LEAF_PREFIX + entry;
  target.write(sha256(prefixed), offset, HASH_BYTES, 'latin1');
  return prefixed.slice(LEAF_PREFIX.length);
}

/** Writes `SHA-256(0x01 || left || right)` to `target`, where the two hashes stand side by side in `source` at `from`. */
export function writeNodeHash(source: Buffer, from: number, target: Buffer, offset: number): void {
  source.copy(pair, 1, from, from + 2 * HASH_BYTES);
  target.write(sha256(pair), offset, HASH_BYTES, 'latin1');
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

const level = Buffer.allocUnsafe(128 * HASH_BYTES);

/**
 * The root of a full subtree.
 * @param hashes the concatenated hashes of its 1, 2, 4, ... or 256 leaves
 */
export function fullSubtreeRoot(hashes: Buffer): Buffer {
  let width = hashes.length / HASH_BYTES;
  if (width === 1) return Buffer.from(hashes);
  let source = hashes;
  for (width /= 2; width >= 1; width /= 2) {
    // In place: a pair is read before its hash is written to the left of it.
    for (let index = 0; index < width; index += 1) {
      writeNodeHash(source, 2 * index * HASH_BYTES, level, index * HASH_BYTES);
    }
    source = level;
  }
  return Buffer.from(level.subarray(0, HASH_BYTES));
}
