import { createPrivateKey, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readKeyFile, UnusableKeyFile } from '../../dataFolder/readKeyFile.ts';
import { type SigningKey, signingKeyOf, signingKeyOfObject } from '../notes/noteKeys.ts';

/** The checkpoint key is not a key, or other users may read its file; the message says what to do. */
export class InvalidCheckpointKey extends Error {
  override readonly name = 'InvalidCheckpointKey';
  readonly code = 'INVALID_CHECKPOINT_KEY';
}

const KEY_BYTES = 32;

export const keyFileIn = (folder: string): string => join(folder, 'checkpoint.key');

/**
 * Reads a private key of Ed25519 from text: 32 bytes as 64 hex digits, base64 or base64url, or PEM (PKCS #8)
 * (docs/decisions/0071-checkpoint-key.md).
 * @param source names the key in the message, e.g. `SVC_CHECKPOINT_KEY`
 * @throws InvalidCheckpointKey; the message never contains the text
 */
export function parseCheckpointKey(text: string, source: string): SigningKey {
  const key = keyIn(text.trim());
  if (key) return key;
  throw new InvalidCheckpointKey(`${source} must be ${FORMS}. Create one with \`openssl rand -base64 32\`.`);
}

const FORMS = 'a private key of Ed25519: 32 random bytes as base64 or as 64 hex digits, or PEM';

function keyIn(text: string): SigningKey | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return signingKeyOf(Buffer.from(text, 'hex'));
  const seed = Buffer.from(text, 'base64');
  if (/^[\w+/-]{43}=?$/.test(text) && seed.length === KEY_BYTES) return signingKeyOf(seed);
  try {
    return signingKeyOfObject(createPrivateKey(text));
  } catch {
    return undefined;
  }
}

export interface KeyFileOptions {
  /** Creates a missing file. */
  readonly mayCreate: boolean;
  /** The 32 bytes of a key that is created; default: random ones. */
  readonly newSeed?: (() => Buffer) | undefined;
}

/**
 * Reads the checkpoint key from a file.
 * @throws InvalidCheckpointKey when it is missing, not a key, or not private
 */
export function checkpointKeyFromFile(path: string, { mayCreate, newSeed }: KeyFileOptions): SigningKey {
  let text = textOf(path);
  if (text === undefined) {
    if (!mayCreate) throw new InvalidCheckpointKey(`${path} is missing: name the file of the checkpoint key.`);
    writeKeyFile(path, newSeed?.() ?? randomBytes(KEY_BYTES));
    text = textOf(path) ?? '';
  }
  const key = keyIn(text.trim());
  if (key) return key;
  throw new InvalidCheckpointKey(
    `${path} is damaged: it must have ${FORMS}. Restore it from a backup. If it is lost, delete it and run ` +
      '"svc accept-loss --checkpoint-key", which begins a new origin.',
  );
}

function textOf(path: string): string | undefined {
  try {
    return readKeyFile(path);
  } catch (error) {
    if (error instanceof UnusableKeyFile) throw new InvalidCheckpointKey(error.message);
    throw error;
  }
}

/** Creates the file, complete and synced; one that another process created meanwhile stays. */
function writeKeyFile(path: string, seed: Buffer): void {
  const draft = `${path}.new`;
  // What a killed process left may be cut short.
  rmSync(draft, { force: true });
  writeSynced(draft, `${seed.toString('base64')}\n`, 0o600);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
}

function writeSynced(path: string, text: string, mode: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
