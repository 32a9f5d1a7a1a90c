import { copyFileSync, existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isCannotOpen } from './openDatabase.ts';

/** A SQLite file that is read without a trace in its folder. */
export interface UntouchedFile {
  /** What SQLite opens: a `file:` URI, or the path of a copy. */
  readonly location: string;
  /** Whether what was read may be inconsistent, because another process began to write meanwhile. */
  hasChanged(): boolean;
}

/** A write-ahead log without frames: its header, which a killed writer has written and nothing else. */
const WAL_HEADER_BYTES = 32;
const [IN_USE, AT_REST] = ['readonly_shm=1', 'immutable=1'];
const MAX_ATTEMPTS = 5;

/**
 * Finds out how a SQLite file in WAL mode can be read so that nothing in its folder changes, whether another process uses it,
 * ended properly, or was killed. Usually a reader creates `-wal` and `-shm`, or recovers them.
 * - Without a write-ahead log no process has the file open: `immutable` reads it without locks.
 * - With one, `readonly_shm` reads the index of a running writer. That of a killed one is not used: SQLite makes one in memory.
 * - A write-ahead log of only its header has nothing in it, and with `readonly_shm` SQLite retries for 10 s and gives up ("locking
 *   protocol"): it is read as if there were none.
 * - A write-ahead log without its index, as in some backups, is copied together with the file.
 * @param temporary a folder for the copy
 */
export function untouchedFile(path: string, temporary: string): UntouchedFile {
  const [wal, shm] = [`${path}-wal`, `${path}-shm`];
  const walBytes = sizeOf(wal);
  const hasIndex = existsSync(shm);
  if (isInUse(path)) return { location: `${pathToFileURL(path).href}?${IN_USE}`, hasChanged: () => false };
  const before = stateOf(path);
  const hasChanged = () =>
    stateOf(path) !== before || existsSync(shm) !== hasIndex || sizeOf(wal) > Math.max(walBytes, WAL_HEADER_BYTES);
  if (walBytes <= WAL_HEADER_BYTES) return { location: `${pathToFileURL(path).href}?${AT_REST}`, hasChanged };
  const copy = join(temporary, basename(path));
  copyFileSync(path, copy);
  try {
    copyFileSync(wal, `${copy}-wal`);
  } catch (error) {
    // Its last user has closed it meanwhile: SQLite removes the index first.
    if (existsSync(wal)) throw error;
    return untouchedFile(path, temporary);
  }
  return { location: copy, hasChanged };
}

/** Whether `readonly_shm` reads it: it has a write-ahead log with an index. */
const isInUse = (path: string): boolean =>
  existsSync(`${path}-wal`) && existsSync(`${path}-shm`) && sizeOf(`${path}-wal`) !== WAL_HEADER_BYTES;

/** A file that was opened untouched. */
export interface Reopened<Database> {
  readonly database: Database;
  /** Whether what was read may be inconsistent, because the file was written to meanwhile. */
  hasChanged(): boolean;
}

/**
 * Opens a file that processes begin and cease to use while a command runs, as the archive of a service: its write-ahead log, and with
 * it how it must be read, may have come or gone since `untouchedFile` looked, and until SQLite opens it.
 * @param location URI from `untouchedFile`
 * @param open must read from the file: SQLite opens the write-ahead log then
 * @throws what `open` throws
 */
export function reopenUntouched<Database>(location: string, open: (location: string) => Database): Reopened<Database> {
  const path = fileURLToPath(location);
  for (let attempt = 1; ; attempt += 1) {
    const isUsed = isInUse(path);
    // What SQLite removes with the last user of a file is in the file by then, so that one without an index is complete.
    const before = isUsed ? undefined : stateOf(path);
    try {
      const database = open(`${pathToFileURL(path).href}?${isUsed ? IN_USE : AT_REST}`);
      return { database, hasChanged: () => before !== undefined && stateOf(path) !== before };
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isCannotOpen(error)) throw error;
    }
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function stateOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.size} ${found.mtimeMs} ${found.ino}` : 'missing';
}
