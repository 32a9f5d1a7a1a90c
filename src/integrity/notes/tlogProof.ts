import { HASH_BYTES, leafHash } from '../merkle/hashes.ts';
import { verifyInclusion } from '../merkle/proofs.ts';
import { decodeBase64 } from './base64.ts';
import { openCheckpoint, parseCheckpoint, type VerifiedCheckpoint } from './checkpoint.ts';
import { NoteError, type VerifierKey } from './noteKeys.ts';
import { decodeText, parseNote } from './signedNote.ts';

/** That an entry stands in the tree of a checkpoint (https://c2sp.org/tlog-proof). */
export interface TlogProof {
  /** Index of the leaf: its position - 1. */
  readonly index: number;
  readonly hashes: readonly Buffer[];
  /** The signed checkpoint. */
  readonly checkpoint: string;
  /** Bytes that are not authenticated; receipts carry the leaf entry in it, which its hash proves. */
  readonly extra?: Buffer;
}

const HEADER = 'c2sp.org/tlog-proof@v1';
/** A tree cannot be higher than the bits of an index. */
const MAX_HASHES = 64;

export const formatProof = ({ index, hashes, checkpoint, extra }: TlogProof): string =>
  [
    HEADER,
    ...(extra ? [`extra ${extra.toString('base64')}`] : []),
    `index ${index}`,
    ...hashes.map((hash) => hash.toString('base64')),
    '',
    checkpoint,
  ].join('\n');

/** Reads a proof; nothing in it is verified. @throws NoteError when its form is not valid */
export function parseProof(bytes: Buffer | string): TlogProof {
  const text = decodeText(bytes);
  const gap = text.indexOf('\n\n');
  if (gap < 0) throw new NoteError('the proof has no empty line before its checkpoint');
  const lines = text.slice(0, gap).split('\n');
  if (lines.shift() !== HEADER) throw new NoteError(`the proof does not begin with ${HEADER}`);
  const extraLine = lines[0]?.startsWith('extra ') ? lines.shift() : undefined;
  const extra = extraLine === undefined ? undefined : decodeBase64(extraLine.slice('extra '.length));
  if (extraLine !== undefined && !extra) throw new NoteError('the extra data of the proof is not base64');
  const [, digits] = /^index (0|[1-9]\d*)$/.exec(lines.shift() ?? '') ?? [];
  const index = Number(digits);
  if (!Number.isSafeInteger(index)) throw new NoteError('the proof has no line "index" with a whole number');
  if (lines.length > MAX_HASHES) throw new NoteError(`the proof has more than ${MAX_HASHES} hashes`);
  const hashes = lines.map((line) => {
    const hash = decodeBase64(line);
    if (hash?.length !== HASH_BYTES) throw new NoteError(`a hash of the proof is not base64 of ${HASH_BYTES} bytes`);
    return hash;
  });
  const checkpoint = text.slice(gap + 2);
  parseCheckpoint(parseNote(checkpoint).text);
  return { index, hashes, checkpoint, ...(extra && { extra }) };
}

/**
 * Verifies that an entry stands at its index of the tree of a signed checkpoint.
 * @param entry the leaf entry
 * @throws NoteError | ProofError
 */
export function verifyProof(
  proof: TlogProof,
  entry: string | Buffer,
  keys: readonly VerifierKey[],
): VerifiedCheckpoint {
  const checkpoint = openCheckpoint(proof.checkpoint, keys);
  verifyInclusion(proof.index, checkpoint.size, leafHash(entry), proof.hashes, checkpoint.root);
  return checkpoint;
}
