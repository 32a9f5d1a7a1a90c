import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';

/** A key file that exists and cannot be used; the message names it and what to do, but not what the loss of the key means. */
export class UnusableKeyFile extends Error {
  override readonly name = 'UnusableKeyFile';
}

/**
 * Reads a file that only its owner may read.
 * @returns undefined when there is none
 * @throws UnusableKeyFile when it is no file, cannot be read, or others may read it
 */
export function readKeyFile(path: string): string | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })) return undefined;
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    requirePrivate(path, stats);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UnusableKeyFile) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const remedy = code === 'EACCES' ? 'Give it to the user that svc runs as (chown).' : 'Restore it from a backup.';
    throw new UnusableKeyFile(`${path} cannot be read (${code}). ${remedy}`);
  }
}

function requirePrivate(path: string, stats: Stats | undefined): asserts stats {
  if (!stats) throw new UnusableKeyFile(`${path} is a link to a file that does not exist. Restore that file.`);
  if (!stats.isFile()) throw new UnusableKeyFile(`${path} is not a file. Restore it from a backup.`);
  if ((stats.mode & 0o077) !== 0) {
    throw new UnusableKeyFile(`${path} can be read by other users. Run: chmod 600 ${path}`);
  }
}
