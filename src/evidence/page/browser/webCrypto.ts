import { sha256 } from '@noble/hashes/sha2.js';
import { parseVkey } from '../../../integrity/notes/noteKeys.ts';
import { parseNote } from '../../../integrity/notes/signedNote.ts';
import type { CheckedCheckpoint } from '../../check/bundleVerification.ts';
import type { Platform } from '../../check/checkBundle.ts';
import { checkPart } from '../../check/checkPart.ts';

/** WebCrypto where the browser offers it to a page from a disk. */
const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const READ_BYTES = 4 * 1_048_576;

/** Lets the page paint, and react to keys. */
const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve));

/** What the verification needs of a browser. */
export const browserPlatform: Platform = {
  async digestOf(source, from, to) {
    const digest = sha256.create();
    for (let at = from; at < to; at += READ_BYTES) {
      digest.update(await source.read(at, Math.min(to, at + READ_BYTES)));
      await nextTurn();
    }
    return hexOf(digest.digest());
  },
  async sha256(bytes) {
    return hexOf(subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes as BufferSource)) : sha256(bytes));
  },
  async inflate(bytes, size) {
    const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const content = new Uint8Array(size);
    let filled = 0;
    const reader = stream.getReader();
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      if (filled + chunk.value.length > size) {
        await reader.cancel();
        throw new Error('it is longer than its header says');
      }
      content.set(chunk.value, filled);
      filled += chunk.value.length;
    }
    if (filled !== size) throw new Error('it is shorter than its header says');
    return content;
  },
  async *checkParts(tasks, read) {
    for (const task of tasks) {
      yield checkPart(await read(task));
      await nextTurn();
    }
  },
};

/** What the browser itself says of the signatures that the code of svc has accepted. */
export type SecondOpinion = 'agrees' | 'disagrees' | 'not supported';

/** Verifies each signature again with Ed25519 of the browser. */
export async function secondOpinion(checkpoints: readonly CheckedCheckpoint[]): Promise<SecondOpinion> {
  if (!subtle) return 'not supported';
  for (const { note, signedBy } of checkpoints) {
    const { text, signatures } = parseNote(note);
    const key = parseVkey(signedBy);
    const found = signatures.find(({ name, id }) => name === key.name && id === key.id);
    try {
      const imported = await subtle.importKey('raw', key.publicKey as BufferSource, 'Ed25519', false, ['verify']);
      const signature = (found?.signature ?? new Uint8Array(64)) as BufferSource;
      if (!(await subtle.verify('Ed25519', imported, signature, new TextEncoder().encode(text)))) return 'disagrees';
    } catch {
      return 'not supported';
    }
  }
  return 'agrees';
}
