import { HASH_BYTES } from '../../integrity/merkle/hashes.ts';
import { decodeBase64 } from '../../integrity/notes/base64.ts';

/** The hash of a full subtree of which no leaf belongs to an event of the bundle. */
export interface CoveredSubtree {
  /** Index of its first leaf, and of the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly hash: Buffer;
}

/** A line of a bundle's proofs, in the canonical form of RFC 8785. */
export const writeProofLine = ({ from, to, hash }: CoveredSubtree): string =>
  `{"from":${from},"hash":"${hash.toString('base64')}","to":${to}}`;

/** @returns undefined for a line of any other form */
export function parseProofLine(line: string): CoveredSubtree | undefined {
  const [, from, base64 = '', to] = /^\{"from":(\d{1,16}),"hash":"([\w+/=]+)","to":(\d{1,16})\}$/.exec(line) ?? [];
  const hash = decodeBase64(base64);
  if (hash?.length !== HASH_BYTES) return undefined;
  const subtree = { from: Number(from), to: Number(to), hash };
  return writeProofLine(subtree) === line ? subtree : undefined;
}

/** The largest full subtrees that together have the leaves from `from` to before `to`, from left to right. */
export function* fullSubtrees(from: number, to: number): Generator<readonly [from: number, to: number]> {
  for (let at = from; at < to; ) {
    let width = 1;
    while (at % (2 * width) === 0 && at + 2 * width <= to) width *= 2;
    yield [at, at + width];
    at += width;
  }
}
