import { copyFileSync, existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A SQLite file that is read without a trace in its folder. */
export interface UntouchedFile {
  /** What SQLite opens: a `file:` URI, or the path of a copy. */
  readonly location: string;
  /** Whether what was read may be inconsistent, because another process began to write meanwhile. */
  hasChanged(): boolean;
}

/** A write-ahead log without frames: its header, which a killed writer has written and nothing else. */
const WAL_HEADER_BYTES = 32;

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
  if (existsSync(wal) && hasIndex && walBytes !== WAL_HEADER_BYTES) {
    return { location: `${pathToFileURL(path).href}?readonly_shm=1`, hasChanged: () => false };
  }
  const before = stateOf(path);
  const hasChanged = () =>
    stateOf(path) !== before || existsSync(shm) !== hasIndex || sizeOf(wal) > Math.max(walBytes, WAL_HEADER_BYTES);
  if (walBytes <= WAL_HEADER_BYTES) return { location: `${pathToFileURL(path).href}?immutable=1`, hasChanged };
  const copy = join(temporary, basename(path));
  copyFileSync(path, copy);
  copyFileSync(wal, `${copy}-wal`);
  return { location: copy, hasChanged };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function stateOf(path: string): string {
  const { size, mtimeMs, ino } = statSync(path);
  return `${size} ${mtimeMs} ${ino}`;
}
