import { EMPTY_ROOT, nodeHash } from './hashes.ts';

interface Subtree {
  readonly leaves: number;
  readonly hash: Buffer;
}

/**
 * A Merkle tree of which only the full subtrees are known, from left to right the largest first: one hash for each bit of its
 * size. Its root at every size costs a few hashes; tiles and proofs cannot be made of it (`MerkleTree` has them).
 */
export class CompactRange {
  readonly #subtrees: Subtree[] = [];
  #size = 0;

  /** The number of leaves. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds a leaf hash, or the root of a full subtree.
   * @param leaves of the subtree: a power of two that divides the present size
   */
  append(hash: Buffer, leaves = 1): void {
    this.#size += leaves;
    let right: Subtree = { leaves, hash };
    for (let left = this.#subtrees.at(-1); left?.leaves === right.leaves; left = this.#subtrees.at(-1)) {
      right = { leaves: right.leaves * 2, hash: nodeHash(left.hash, right.hash) };
      this.#subtrees.pop();
    }
    this.#subtrees.push(right);
  }

  /** The root hash of all leaves so far (RFC 6962, section 2.1). */
  root(): Buffer {
    let root: Buffer | undefined;
    for (const { hash } of this.#subtrees.toReversed()) root = root ? nodeHash(hash, root) : hash;
    return root ?? EMPTY_ROOT;
  }
}
