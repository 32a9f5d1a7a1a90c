import { decodeBase64 } from './base64.ts';
import {
  COSIGNATURE,
  ED25519,
  isKeyName,
  isSignedBy,
  NoteError,
  type SigningKey,
  type VerifierKey,
  verifierKey,
} from './noteKeys.ts';

/** A signature line: who signed, and with what. */
export interface NoteSignature {
  readonly name: string;
  /** Eight hex digits. */
  readonly id: string;
  /** What follows the key id. */
  readonly signature: Buffer;
}

/** A note whose form is valid. Its signatures are not verified: see `verifyNote`. */
export interface SignedNote {
  /** With the newline at its end. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** A signature that holds. */
export interface VerifiedSignature {
  readonly key: VerifierKey;
  /** Seconds since 1970, of a witness's cosignature. */
  readonly time?: number;
}

/** The format demands that 16 signatures are accepted, and recommends a limit. */
const MAX_SIGNATURES = 100;
const MAX_NOTE_BYTES = 1_000_000;

/**
 * Reads a signed note (https://c2sp.org/signed-note#format).
 * @throws NoteError when its form is not valid
 */
export function parseNote(bytes: Buffer | string): SignedNote {
  const note = decodeText(bytes);
  if (note.length > MAX_NOTE_BYTES) throw new NoteError(`the note is longer than ${MAX_NOTE_BYTES} characters`);
  if (!note.isWellFormed()) throw new NoteError('the note is not Unicode text');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what the format forbids.
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) throw new NoteError('the note contains a control character');
  const gap = note.lastIndexOf('\n\n');
  if (gap < 0) throw new NoteError('the note has no empty line before its signatures');
  if (!note.endsWith('\n')) throw new NoteError('the note does not end with a newline');
  const lines = note
    .slice(gap + 2)
    .split('\n')
    .slice(0, -1);
  if (lines.length === 0) throw new NoteError('the note has no signature');
  if (lines.length > MAX_SIGNATURES) throw new NoteError(`the note has more than ${MAX_SIGNATURES} signatures`);
  return { text: note.slice(0, gap + 1), signatures: lines.map(parseSignatureLine) };
}

/** @throws NoteError for bytes that are not UTF-8 */
export function decodeText(bytes: Buffer | string): string {
  if (typeof bytes === 'string') return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NoteError('the bytes are not UTF-8');
  }
}

/** Reads one signature line without its newline. @throws NoteError */
export function parseSignatureLine(line: string): NoteSignature {
  const [, name = '', encoded = ''] = /^\u2014 ([^ ]+) ([^ ]+)$/u.exec(line) ?? [];
  if (!isKeyName(name)) throw new NoteError('a signature line is not "\u2014 name base64"');
  const bytes = decodeBase64(encoded);
  if (!bytes || bytes.length < 5)
    throw new NoteError(`the signature of ${name} is not base64 of a key id and a signature`);
  return { name, id: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) };
}

/** A signature line, with its newline. */
export const formatSignature = ({ name, id, signature }: NoteSignature): string =>
  `\u2014 ${name} ${Buffer.concat([Buffer.from(id, 'hex'), signature]).toString('base64')}\n`;

export const formatNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map(formatSignature).join('')}`;

/**
 * Signs a text.
 * @param text ends with a newline and has no control character but newlines
 * @throws NoteError when the text or the name cannot stand in a note
 */
export function signNote(
  text: string,
  signers: readonly { readonly name: string; readonly key: SigningKey }[],
): string {
  if (!text.endsWith('\n')) throw new NoteError('the text of a note ends with a newline');
  const bytes = Buffer.from(text);
  const signatures = signers.map(({ name, key }) => {
    const { id } = verifierKey(name, key.publicKey);
    return { name, id, signature: key.sign(bytes) };
  });
  const note = formatNote({ text, signatures });
  parseNote(note);
  return note;
}

/**
 * Verifies the signatures of known keys. Those of unknown keys are ignored, as the format demands.
 * @returns the signatures that hold, at least one
 * @throws NoteError when none is of a known key, or one of a known key does not hold
 */
export function verifyNote(note: SignedNote, keys: readonly VerifierKey[]): VerifiedSignature[] {
  const verified = note.signatures.flatMap((signature) => {
    const key = keys.find(({ name, id }) => name === signature.name && id === signature.id);
    return key ? [verifySignature(note.text, signature, key)] : [];
  });
  if (verified.length === 0) {
    const signers = note.signatures.map(({ name, id }) => `${name}+${id}`).join(', ');
    throw new NoteError(
      signers === '' ? 'it has no signature' : `no signature is by a known key: it is signed by ${signers}`,
    );
  }
  return verified;
}

function verifySignature(text: string, { signature }: NoteSignature, key: VerifierKey): VerifiedSignature {
  const invalid = () =>
    new NoteError(`the signature of ${key.name}+${key.id} does not hold: the text or the signature was changed`);
  switch (key.type) {
    case ED25519:
      if (!isSignedBy(key.publicKey, Buffer.from(text), signature)) throw invalid();
      return { key };
    case COSIGNATURE: {
      if (signature.length !== 8 + 64) throw invalid();
      const time = Number(signature.readBigUInt64BE(0));
      if (!Number.isSafeInteger(time)) throw invalid();
      if (!isSignedBy(key.publicKey, cosignedMessage(text, time), signature.subarray(8))) throw invalid();
      return { key, time };
    }
  }
}

/** What a witness signs of a checkpoint (https://c2sp.org/tlog-cosignature#ed25519-signed-message). */
export const cosignedMessage = (text: string, time: number): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
