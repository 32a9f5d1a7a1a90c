import { HASH_BYTES, nodeHash } from './hashes.ts';

/** The hash of the leaves from `start` to `end` (exclusive), a full subtree: `end - start` is a power of two that divides `start`. */
export type SubtreeHash = (start: number, end: number) => Buffer;

/** A proof does not hold, or cannot be made; the message says why. */
export class ProofError extends Error {
  override readonly name = 'ProofError';
}

const half = (value: number): number => Math.floor(value / 2);

/** The largest power of two below `size`, for sizes above 1. */
function split(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

/** MTH(D[start:end]) of RFC 6962, section 2.1. */
export function rangeRoot(start: number, end: number, hashOf: SubtreeHash): Buffer {
  const size = end - start;
  const left = size === 1 ? 1 : split(size);
  if (size === 1 || left * 2 === size) return hashOf(start, end);
  return nodeHash(hashOf(start, start + left), rangeRoot(start + left, end, hashOf));
}

/** PATH(index, D[0:size]) of RFC 6962, section 2.1.1. @throws ProofError when the tree has no such leaf */
export function inclusionProof(index: number, size: number, hashOf: SubtreeHash): Buffer[] {
  requireSize(size);
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new ProofError(`a tree of ${size} leaves has no leaf ${index}`);
  }
  const path: Buffer[] = [];
  for (let start = 0, end = size; end - start > 1; ) {
    const middle = start + split(end - start);
    if (index < middle) {
      path.push(rangeRoot(middle, end, hashOf));
      end = middle;
    } else {
      path.push(rangeRoot(start, middle, hashOf));
      start = middle;
    }
  }
  return path.reverse();
}

/** PROOF(from, D[0:to]) of RFC 6962, section 2.1.2; empty from size 0 and between equal sizes. @throws ProofError */
export function consistencyProof(from: number, to: number, hashOf: SubtreeHash): Buffer[] {
  requireSize(from);
  requireSize(to);
  if (from > to) throw new ProofError(`a tree of ${to} leaves is smaller than one of ${from}`);
  if (from === 0 || from === to) return [];
  const path: Buffer[] = [];
  let start = 0;
  let end = to;
  while (from < end) {
    const middle = start + split(end - start);
    if (from <= middle) {
      path.push(rangeRoot(middle, end, hashOf));
      end = middle;
    } else {
      path.push(rangeRoot(start, middle, hashOf));
      start = middle;
    }
  }
  // The verifier knows the old root itself.
  if (start > 0) path.push(rangeRoot(start, end, hashOf));
  return path.reverse();
}

/** The root that follows from a leaf and its inclusion proof (RFC 9162, section 2.1.3.2). @throws ProofError */
export function rootFromInclusion(index: number, size: number, leaf: Buffer, path: readonly Buffer[]): Buffer {
  requireSize(size);
  requireHashes([leaf, ...path]);
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new ProofError(`a tree of ${size} leaves has no leaf ${index}`);
  }
  let node = index;
  let last = size - 1;
  let root = leaf;
  for (const hash of path) {
    if (last === 0) throw new ProofError('the inclusion proof has too many hashes');
    if (node % 2 === 1 || node === last) {
      root = nodeHash(hash, root);
      while (node % 2 === 0 && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      root = nodeHash(root, hash);
    }
    node = half(node);
    last = half(last);
  }
  if (last !== 0) throw new ProofError('the inclusion proof has too few hashes');
  return root;
}

/** @throws ProofError unless the leaf is at this index of the tree with this root */
export function verifyInclusion(
  index: number,
  size: number,
  leaf: Buffer,
  path: readonly Buffer[],
  root: Buffer,
): void {
  if (!rootFromInclusion(index, size, leaf, path).equals(root)) {
    throw new ProofError(`the inclusion proof of leaf ${index} does not lead to the root of ${size} leaves`);
  }
}

/** @throws ProofError unless the second tree begins with all leaves of the first (RFC 9162, section 2.1.4.2) */
export function verifyConsistency(
  from: number,
  fromRoot: Buffer,
  to: number,
  toRoot: Buffer,
  path: readonly Buffer[],
): void {
  requireSize(from);
  requireSize(to);
  requireHashes([fromRoot, toRoot, ...path]);
  if (from > to) throw new ProofError(`a tree of ${to} leaves is smaller than one of ${from}`);
  if (from === 0 || from === to) {
    if (path.length > 0) throw new ProofError('the consistency proof has too many hashes');
    if (from === to && !fromRoot.equals(toRoot))
      throw new ProofError(`two trees of ${from} leaves have different roots`);
    return;
  }
  let node = from - 1;
  let last = to - 1;
  while (node % 2 === 1) {
    node = half(node);
    last = half(last);
  }
  // An old tree of a power of two leaves is a full subtree of the new one, so its root is not part of the proof.
  const [first, ...rest] = node === 0 ? [fromRoot, ...path] : path;
  if (!first) throw new ProofError('the consistency proof has too few hashes');
  let oldRoot = first;
  let newRoot = first;
  for (const hash of rest) {
    if (last === 0) throw new ProofError('the consistency proof has too many hashes');
    if (node % 2 === 1 || node === last) {
      oldRoot = nodeHash(hash, oldRoot);
      newRoot = nodeHash(hash, newRoot);
      while (node % 2 === 0 && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      newRoot = nodeHash(newRoot, hash);
    }
    node = half(node);
    last = half(last);
  }
  if (last !== 0) throw new ProofError('the consistency proof has too few hashes');
  if (!oldRoot.equals(fromRoot))
    throw new ProofError(`the consistency proof does not lead to the root of ${from} leaves`);
  if (!newRoot.equals(toRoot)) throw new ProofError(`the consistency proof does not lead to the root of ${to} leaves`);
}

function requireSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new ProofError(`${size} is not the size of a tree`);
}

function requireHashes(hashes: readonly Buffer[]): void {
  if (hashes.some(({ length }) => length !== HASH_BYTES))
    throw new ProofError(`a hash does not have ${HASH_BYTES} bytes`);
}
