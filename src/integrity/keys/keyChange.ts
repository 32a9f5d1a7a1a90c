import { NoteError, parseVkey, type SigningKey, type VerifierKey, verifierKey } from '../notes/noteKeys.ts';
import { parseNote, signNote, verifyNote } from '../notes/signedNote.ts';

export const KEY_CHANGE_HEADER = 'svc checkpoint key change';

/** One key of the log in the place of another. */
export interface KeyChange {
  readonly before: VerifierKey;
  readonly after: VerifierKey;
}

/**
 * States that a log goes on with another key: a note with both verifier keys, signed by the key before, and by the new one to
 * prove that it is held (docs/decisions/0071-checkpoint-key.md).
 * @throws NoteError for an origin that cannot be the name of a key
 */
export function signKeyChange(origin: string, before: SigningKey, after: SigningKey): string {
  const [from, to] = [before, after].map(({ publicKey }) => verifierKey(origin, publicKey).vkey);
  return signNote(`${KEY_CHANGE_HEADER}\n${from}\n${to}\n`, [
    { name: origin, key: before },
    { name: origin, key: after },
  ]);
}

/** Reads a change and verifies both signatures. @throws NoteError */
export function openKeyChange(bytes: Buffer | string): KeyChange {
  const note = parseNote(bytes);
  const [header, from = '', to = '', ...more] = note.text.slice(0, -1).split('\n');
  if (header !== KEY_CHANGE_HEADER || more.length > 0) throw new NoteError(`the note is not a "${KEY_CHANGE_HEADER}"`);
  const change = { before: parseVkey(from), after: parseVkey(to) };
  if (change.before.name !== change.after.name) throw new NoteError('the two keys are of different logs');
  if (change.before.vkey === change.after.vkey) throw new NoteError('both keys are the same');
  for (const key of [change.before, change.after]) verifyNote(note, [key]);
  return change;
}

/** Public keys in hex, and those that follow from them by changes, which may be in any order. */
export function followKeys(keys: Iterable<string>, changes: readonly KeyChange[]): string[] {
  const followed = new Set(keys);
  // A set that grows while it is walked is walked to its new end.
  for (const key of followed) {
    for (const { before, after } of changes)
      if (before.publicKey.toString('hex') === key) followed.add(after.publicKey.toString('hex'));
  }
  return [...followed];
}

/**
 * The keys that are accepted when one is trusted: that one, and each that an accepted one has named as its successor. The
 * changes may be given in any order; those of other keys are ignored.
 * @throws NoteError for a change that does not hold
 */
export function acceptedKeys(trusted: VerifierKey, changes: readonly (Buffer | string)[]): VerifierKey[] {
  const opened = changes.map(openKeyChange);
  const accepted = new Map([[trusted.vkey, trusted]]);
  // A map that grows while it is walked is walked to its new end.
  for (const vkey of accepted.keys()) {
    for (const { before, after } of opened) if (before.vkey === vkey) accepted.set(after.vkey, after);
  }
  return [...accepted.values()];
}
