import { scrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BackupRefused } from './backupRefused.ts';

const MIN_CHARACTERS = 12;
/** 128 MiB and some 0.3 s for each guess. Part of the format: a file cannot ask for more. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1_024 * 1_024 };
export const SALT_BYTES = 32;

/** Reads a passphrase: the file without the line break at its end. @throws BackupRefused */
export function readPassphrase(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new BackupRefused(`The passphrase cannot be read: ${(error as Error).message}. Name its file.`);
  }
  if (text.length < MIN_CHARACTERS) {
    throw new BackupRefused(
      `The passphrase in ${path} must have at least ${MIN_CHARACTERS} characters. Create one with \`openssl rand -base64 24\`.`,
    );
  }
  return text;
}

/** Derives the secret of a file from the passphrase. @returns 32 bytes */
export const secretOf = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(passphrase, salt, 32, SCRYPT, (error, secret) => (error ? reject(error) : resolve(secret))),
  );
