import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BackupRefused } from '../format/backupRefused.ts';

/** The bytes of the vault's file and of its journal at one moment. */
export interface VaultCopy {
  readonly file: Buffer;
  /** Of a transaction that is under way, or that a killed process left; SQLite rolls it back in a copy of both. */
  readonly journal: Buffer;
}

const NAME = 'vault.sqlite';
const MAX_READS = 20;

/**
 * Reads the vault beside the service, which has locked it (docs/decisions/0058-lock-of-the-data-folder.md): as bytes, until it is the
 * same twice in a row, so that no write was half read. A process with a lock of its own on the file must not call this.
 * @returns undefined when there is no vault
 * @throws BackupRefused
 */
export function readVaultBytes(folder: string): VaultCopy | undefined {
  const path = join(folder, NAME);
  let before = readOnce(path);
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const now = readOnce(path);
    if (isSameVault(before, now)) return now;
    before = now;
  }
  throw new BackupRefused(`${path} changes all the time, so it cannot be copied. Run the backup again.`);
}

export const isSameVault = (left: VaultCopy | undefined, right: VaultCopy | undefined): boolean =>
  left === right ||
  (left !== undefined && right !== undefined && left.file.equals(right.file) && left.journal.equals(right.journal));

/** Writes a copy that SQLite opens. @returns its path */
export function writeVaultCopy({ file, journal }: VaultCopy, folder: string): string {
  const path = join(folder, NAME);
  writeFileSync(path, file, { mode: 0o600 });
  if (journal.length > 0) writeFileSync(`${path}-journal`, journal, { mode: 0o600 });
  return path;
}

function readOnce(path: string): VaultCopy | undefined {
  if (!existsSync(path)) return undefined;
  const journal = `${path}-journal`;
  const [first, file] = [readIfThere(journal), readFileSync(path)];
  // A transaction that began or ended meanwhile shows in the next read.
  return { file, journal: first };
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
