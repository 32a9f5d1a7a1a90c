import { EMPTY_ROOT, HASH_BYTES } from '../merkle/hashes.ts';
import { decodeBase64 } from './base64.ts';
import { NoteError, type SigningKey, type VerifierKey } from './noteKeys.ts';
import { parseNote, type SignedNote, signNote, type VerifiedSignature, verifyNote } from './signedNote.ts';

/** The head of a tree (https://c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  /** Identifies the log; also the name of its key. */
  readonly origin: string;
  /** The number of leaves: the position of the last event that it covers. */
  readonly size: number;
  readonly root: Buffer;
  /** Further lines, mostly none. */
  readonly extensions: readonly string[];
}

/** A checkpoint of which at least one signature by a known key holds. */
export interface VerifiedCheckpoint extends Checkpoint {
  readonly note: SignedNote;
  readonly signatures: readonly VerifiedSignature[];
}

/** The text of the note, with its newline. @throws NoteError when a line would be empty or two */
export function formatCheckpoint({ origin, size, root, extensions }: Checkpoint): string {
  const text = `${[origin, size, root.toString('base64'), ...extensions].join('\n')}\n`;
  const lines = 3 + extensions.length;
  const parsed = parseCheckpoint(text);
  if (3 + parsed.extensions.length !== lines) throw new NoteError('a line of a checkpoint cannot contain a newline');
  return text;
}

/** Reads the text of a checkpoint, without its signatures. @throws NoteError */
export function parseCheckpoint(text: string): Checkpoint {
  if (!text.endsWith('\n')) throw new NoteError('the checkpoint does not end with a newline');
  const [origin, size, root, ...extensions] = text.slice(0, -1).split('\n');
  if (!origin || size === undefined || root === undefined)
    throw new NoteError('the checkpoint has fewer than three lines');
  if (!/^(?:0|[1-9]\d*)$/.test(size) || !Number.isSafeInteger(Number(size))) {
    throw new NoteError(`the tree size of the checkpoint is "${size}", which is not a whole number`);
  }
  const hash = decodeBase64(root);
  if (hash?.length !== HASH_BYTES)
    throw new NoteError(`the root of the checkpoint is not base64 of ${HASH_BYTES} bytes`);
  if (size === '0' && !hash.equals(EMPTY_ROOT))
    throw new NoteError('the root of the checkpoint is not that of an empty tree');
  if (extensions.includes('')) throw new NoteError('the checkpoint has an empty line');
  return { origin, size: Number(size), root: hash, extensions };
}

/** @returns the checkpoint as a signed note; the name of each signature is the origin */
export const signCheckpoint = (checkpoint: Checkpoint, keys: readonly SigningKey[]): string =>
  signNote(
    formatCheckpoint(checkpoint),
    keys.map((key) => ({ name: checkpoint.origin, key })),
  );

/**
 * Reads a signed checkpoint and verifies the signatures of known keys.
 * @param keys of the log; those of witnesses may stand among them, and at least one of the log itself must have signed
 * @throws NoteError
 */
export function openCheckpoint(bytes: Buffer | string, keys: readonly VerifierKey[]): VerifiedCheckpoint {
  const note = parseNote(bytes);
  const signatures = verifyNote(note, keys);
  const checkpoint = parseCheckpoint(note.text);
  if (!signatures.some(({ key }) => key.name === checkpoint.origin)) {
    throw new NoteError(`the log ${checkpoint.origin} itself has not signed the checkpoint`);
  }
  return { ...checkpoint, note, signatures };
}
