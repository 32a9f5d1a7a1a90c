import { hkdfSync, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { readKeyFile, UnusableKeyFile } from '../dataFolder/readKeyFile.ts';

/** The master key is missing, or not the one that the vault was created with. */
export class WrongEncryptionKey extends Error {
  override readonly name = 'WrongEncryptionKey';
  readonly code = 'WRONG_ENCRYPTION_KEY';
}

/** The master key is not a valid key, or its file cannot be used. */
export class InvalidEncryptionKey extends Error {
  override readonly name = 'InvalidEncryptionKey';
  readonly code = 'INVALID_ENCRYPTION_KEY';
}

const KEY_BYTES = 32;

/**
 * Reads a 256-bit key from text: 64 hex digits, base64 or base64url.
 * @param source names the key in the message, e.g. `SVC_ENCRYPTION_KEY`
 * @throws InvalidEncryptionKey; the message never contains the text
 */
export function parseMasterKey(text: string, source: string): Buffer {
  const key = keyIn(text.trim());
  if (key) return key;
  throw new InvalidEncryptionKey(
    `${source} must be 32 random bytes, as base64 or as 64 hex digits. Create one with \`openssl rand -base64 32\`.`,
  );
}

function keyIn(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  const key = Buffer.from(text, 'base64');
  return /^[\w+/-]{43}=?$/.test(text) && key.length === KEY_BYTES ? key : undefined;
}

/** A key for one purpose (HKDF-SHA256), which reveals neither the master key nor the key of another purpose. */
export const deriveKey = (master: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, '', `svc ${purpose}`, KEY_BYTES));

/** The nodes of a shared vault need the same key, so none of them may create it. @throws InvalidEncryptionKey */
export function requireMasterKey(masterKey: string | undefined): asserts masterKey is string {
  if (masterKey !== undefined) return;
  throw new InvalidEncryptionKey(
    'SVC_ENCRYPTION_KEY is required with SVC_EVENTSTORE_URL and must be the same on every node. Use the content of ' +
      'master.key if there is one, else create a key with `openssl rand -base64 32`.',
  );
}

/**
 * Reads the master key from a file.
 * @param mayCreate creates a missing file; false once a vault exists, which a new key could not open
 * @throws WrongEncryptionKey when the file is missing | InvalidEncryptionKey when it is not a key, or not private
 */
export function keyFromFile(path: string, { mayCreate }: { readonly mayCreate: boolean }): Buffer {
  const text = textOf(path);
  if (text === undefined) {
    if (mayCreate) return createKeyFile(path);
    throw new WrongEncryptionKey(
      `${path} is missing, and the vault beside it cannot be opened without it. ` +
        'Restore that file (or set SVC_ENCRYPTION_KEY), or restore the whole data folder from one backup. ' +
        'To go on without the keys, run "svc accept-loss --vault": every account must then sign in again.',
    );
  }
  const key = keyIn(text.trim());
  if (key) return key;
  throw new InvalidEncryptionKey(
    `${path} is damaged: it must have 32 bytes, as base64 or as 64 hex digits. Restore that file (or set ` +
      'SVC_ENCRYPTION_KEY). If the key is lost, move the file away and run "svc accept-loss --vault": every account must ' +
      'then sign in again.',
  );
}

function textOf(path: string): string | undefined {
  try {
    return readKeyFile(path);
  } catch (error) {
    if (error instanceof UnusableKeyFile) throw new InvalidEncryptionKey(error.message);
    throw error;
  }
}

function createKeyFile(path: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, `${key.toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // The folder is synced too, so that the file survives a power cut.
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return key;
}
