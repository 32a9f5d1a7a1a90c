import { EMPTY_ROOT, nodeHash } from '../../integrity/merkle/hashes.ts';
import { ProofError } from '../../integrity/merkle/proofs.ts';

/** A full subtree: its first leaf, its number of leaves, its hash. */
export interface Subtree {
  readonly from: number;
  readonly width: number;
  readonly hash: Buffer;
}

/**
 * Joins full subtrees that follow each other to as few as possible. From leaf 0 on, what remains are the subtrees whose join is
 * the root of RFC 6962, section 2.1.
 */
export class SubtreeStack {
  readonly #subtrees: Subtree[] = [];
  #end: number;

  constructor(from: number) {
    this.#end = from;
  }

  /** Index of the leaf that is expected next. */
  get end(): number {
    return this.#end;
  }

  /** From left to right. */
  get subtrees(): readonly Subtree[] {
    return this.#subtrees;
  }

  /** @throws ProofError unless it is a full subtree that follows the one before */
  add(subtree: Subtree): void {
    const { from, width } = subtree;
    const isFull = Number.isSafeInteger(from + width) && width >= 1 && Number.isInteger(Math.log2(width));
    if (!isFull || from % width !== 0) throw new ProofError(`${width} leaves from ${from} on are not a full subtree`);
    if (from !== this.#end) throw new ProofError(`leaf ${from} follows, where leaf ${this.#end} was expected`);
    this.#end += width;
    let joined = subtree;
    for (let left = this.#subtrees.at(-1); left && left.width === joined.width; left = this.#subtrees.at(-1)) {
      if (left.from % (2 * left.width) !== 0) break;
      this.#subtrees.pop();
      joined = { from: left.from, width: 2 * left.width, hash: nodeHash(left.hash, joined.hash) };
    }
    this.#subtrees.push(joined);
  }

  /** The root of all leaves, if the stack began with leaf 0. */
  root(): Buffer {
    return (
      this.#subtrees.reduceRight<Buffer | undefined>(
        (right, { hash }) => (right ? nodeHash(hash, right) : hash),
        undefined,
      ) ?? EMPTY_ROOT
    );
  }
}
