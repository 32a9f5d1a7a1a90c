import { accessSync, constants } from 'node:fs';

const MAKE_ROOM = 'Make room on its disk, then start svc again.';
const CHECK_DISK = 'Check its disk, and whether it has room, then start svc again.';
const MOUNT_WRITABLE = 'Its file system is read-only: mount it writable, then start svc again.';
const RESTORE = 'It is damaged, or not a file of svc: restore the data folder from a backup.';

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const BY_RESULT: Readonly<Record<number, string>> = { 10: CHECK_DISK, 11: RESTORE, 13: MAKE_ROOM, 26: RESTORE };
const BY_CODE: Readonly<Record<string, string>> = { ENOSPC: MAKE_ROOM, EDQUOT: MAKE_ROOM, EROFS: MOUNT_WRITABLE };
const IS_FOLDER = 'It is a folder: move it away, and restore the file from a backup.';

/** Returns what an operator can do about a file that cannot be used. @param fallback returned for unknown causes */
export function remedyFor(error: unknown, fallback: string): string {
  const { code, errcode } = error as { readonly code?: string; readonly errcode?: number };
  return (errcode === undefined ? BY_CODE[code ?? ''] : BY_RESULT[errcode & 0xff]) ?? fallback;
}

/**
 * As `remedyFor`, for what svc tries again by itself.
 * @param retry says so, a sentence
 */
export function remedyWhileRunning(error: unknown, retry: string): string {
  const remedy = remedyFor(error, '');
  const toDo =
    remedy === MAKE_ROOM
      ? 'Make room on its disk. '
      : remedy === CHECK_DISK
        ? 'Check its disk, and whether it has room. '
        : '';
  return toDo + retry;
}

/** As `remedyFor`, for a file that svc itself keeps in the data folder. */
export const remedyForOwnFile = (error: unknown, fallback: string): string =>
  remedyFor(error, (error as { readonly code?: string }).code === 'EISDIR' ? IS_FOLDER : fallback);

/** What an operator can do when a file or folder is on a file system that is mounted read-only, of which SQLite says nothing; else undefined. */
export function remedyForReadOnly(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as { readonly code?: string }).code === 'EROFS' ? MOUNT_WRITABLE : undefined;
  }
}

/** Whether the error comes from SQLite or the operating system rather than from our own code. */
export const isFileError = (error: unknown): boolean =>
  ['errcode', 'errno'].some((field) => Object.hasOwn(error as object, field));
