import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { remedyFor } from './fileErrors.ts';
import { isDamaged } from './openDatabase.ts';

/** The file of the lock cannot be opened or written; the message says what to do. */
export class CannotLockDataFolder extends Error {
  override readonly name = 'CannotLockDataFolder';
  constructor(path: string, cause: unknown) {
    const remedy = remedyFor(cause, 'Give its folder to the user that runs svc, and delete it: svc makes another one.');
    super(`${path} cannot be locked: ${(cause as Error).message}. ${remedy}`, { cause });
  }
}

/** Another process has locked the folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
  readonly code = 'DATA_FOLDER_IN_USE';
  constructor(folder: string) {
    super(`${folder} is in use by another svc process. Stop it, or set SVC_DATA_DIR.`);
  }
}

export const LOCK_FILE = 'lock.sqlite';

/**
 * The lock of one process on a data folder. The locks are those of the kernel on the inodes of SQLite files: they end
 * with the process, also after `kill -9`, and hold between containers that share the folder.
 *
 * `lock.sqlite` alone could be deleted, and a second process would create and lock another file of that name. So a
 * process must also get a lock that a running svc holds on a file which that svc has open and cannot do without: the
 * vault (locked by `openVaultFile` as long as it is open) or the outbox (docs/decisions/0058-lock-of-the-data-folder.md).
 * No code may read these files through `node:fs`: closing any descriptor of a file ends the locks of the process on it.
 */
export class FolderLock {
  readonly #folder: string;
  readonly #path: string;
  #lock: DatabaseSync;
  #inode: string | undefined;
  #outbox: DatabaseSync | undefined;

  /** @throws DataFolderInUse, or the error of SQLite when `lock.sqlite` cannot be opened */
  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, LOCK_FILE);
    this.#lock = this.#lockFile();
    this.#inode = inodeOf(this.#path);
    try {
      if (isHeldElsewhere(join(folder, 'vault.sqlite'))) throw new DataFolderInUse(folder);
      this.#outbox = claim(join(folder, 'outbox.sqlite'), folder);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Locks the file of the lock again if it was deleted or replaced.
   * @throws DataFolderInUse when another process has locked the file that replaced it, or the error of SQLite
   */
  renew(): void {
    const inode = inodeOf(this.#path);
    if (inode !== undefined && inode === this.#inode) return;
    const replaced = this.#lock;
    this.#lock = this.#lockFile();
    this.#inode = inodeOf(this.#path);
    replaced.close();
  }

  close(): void {
    this.#outbox?.close();
    this.#lock.close();
  }

  /** The content of the file does not matter: a file that is no database is replaced. While it is locked, nothing reads it. */
  #lockFile(): DatabaseSync {
    try {
      return this.#lockDatabase();
    } catch (error) {
      if (!isDamaged(error)) throw error;
      rmSync(this.#path);
      return this.#lockDatabase();
    }
  }

  #lockDatabase(): DatabaseSync {
    let lock: DatabaseSync | undefined;
    try {
      lock = new DatabaseSync(this.#path, { timeout: 0 });
      lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      return lock;
    } catch (error) {
      lock?.close();
      if (isBusy(error)) throw new DataFolderInUse(this.#folder);
      throw isDamaged(error) ? error : new CannotLockDataFolder(this.#path, error);
    }
  }
}

const SQLITE_BUSY = 5;

/** Whether another process has locked the file. */
export const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;

/** Names a file whatever its path: undefined when there is none. */
export function inodeOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev}.${found.ino}`;
}

/** Long enough for a command that reads the file for a moment. */
const WAIT_MS = 1_000;

/** Whether another process has the file open with an exclusive lock. A damaged file is reported when it is used. */
function isHeldElsewhere(path: string): boolean {
  if (!existsSync(path)) return false;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: WAIT_MS });
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database?.close();
  }
}

/**
 * Has a file with a write-ahead log for this process: for an instant it is locked exclusively, which fails while any
 * other process has it open, then shared, so that the connections of this process can use it.
 * @returns the connection that holds the lock; undefined when there is no such file, or a damaged one
 * @throws DataFolderInUse
 */
function claim(path: string, folder: string): DatabaseSync | undefined {
  if (!existsSync(path)) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: WAIT_MS });
    // Read first: a connection that is exclusive from the beginning uses no shared memory and can never share the file.
    database.exec('SELECT 1 FROM sqlite_schema LIMIT 1; PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE');
    database.exec('PRAGMA locking_mode = NORMAL; ROLLBACK');
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) throw new DataFolderInUse(folder);
    return undefined;
  }
}
