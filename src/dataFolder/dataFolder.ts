import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CannotUseDataFolder } from './cannotUseDataFolder.ts';
import { remedyFor } from './fileErrors.ts';
import { CannotLockDataFolder, DataFolderInUse, FolderLock, LOCK_FILE } from './folderLock.ts';
import { keepNodeFiles, randomText, readOrStoreNodeId } from './nodeId.ts';

export interface DataFolder {
  readonly path: string;
  /** Id of this node, part of the names of its streams; the same at every start. */
  readonly node: string;
  /** The id before this start; absent unless this start was given another one. */
  readonly formerNode?: string;
  /**
   * Id of this start; ids of later starts sort after it. Streams are named after it, so a node that runs on a copy of
   * the folder writes to its own streams (docs/decisions/0007-streams-with-one-writer.md).
   */
  readonly boot: string;
  /** Path of a file in the folder. */
  file(name: string): string;
  /**
   * Locks the folder again if `lock.sqlite` was deleted or replaced.
   * @throws DataFolderInUse when another process has locked the file that replaced it, or the error of SQLite
   */
  renewLock(): void;
  /**
   * Writes the files with the node's name again where they were deleted or changed.
   * @returns their paths
   * @throws CannotUseDataFolder
   */
  keepNode(): readonly string[];
  /** Releases the lock. */
  close(): void;
}

/**
 * Locks a data folder for this process. Creates the folder, readable by its owner only, if it does not exist. The lock
 * belongs to the operating system, which releases it when the process ends, also after `kill -9`.
 * @param nodeId stored in the folder; a random one is stored at the first start when it is absent
 * @throws DataFolderInUse | CannotUseDataFolder | InvalidNodeId
 */
export function openDataFolder(path: string, { nodeId }: { readonly nodeId?: string | undefined } = {}): DataFolder {
  const folder = resolve(path);
  const file = (name: string): string => join(folder, name);
  const lock = acquireLock(folder);
  try {
    const named = readOrStoreNodeId(folder, nodeId);
    return {
      path: folder,
      ...named,
      boot: newBootId(),
      file,
      renewLock: () => lock.renew(),
      keepNode: () => keepNodeFiles(folder, named.node),
      close: () => lock.close(),
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** In a data folder: what `svc restore` has written so far. */
export const RESTORE_DRAFT = 'restore.part';

function acquireLock(folder: string): FolderLock {
  // With a part of its files, a folder could look like one that has lost them.
  if (existsSync(join(folder, RESTORE_DRAFT))) {
    throw new CannotUseDataFolder(
      `A restore to ${folder} is under way or was interrupted. Wait for it, or empty the folder and run "svc restore" again.`,
    );
  }
  try {
    createFolder(folder);
    return new FolderLock(folder);
  } catch (error) {
    if (error instanceof DataFolderInUse) throw error;
    if (error instanceof CannotLockDataFolder && isFolder(folder) && isThere(join(folder, LOCK_FILE))) {
      throw new CannotUseDataFolder(error.message, { cause: error });
    }
    const isWithoutLock = error instanceof CannotLockDataFolder;
    const cause = (isWithoutLock ? error.cause : error) as Error;
    const reason = isWithoutLock ? `no file can be created in it (${cause.message})` : cause.message;
    const remedy = isFolder(folder)
      ? 'Give it to the user that runs svc, or set SVC_DATA_DIR to another folder.'
      : 'Set SVC_DATA_DIR to a folder whose files this user may write to.';
    throw new CannotUseDataFolder(`${folder} cannot be the data folder: ${reason}. ${remedyFor(cause, remedy)}`, {
      cause: error,
    });
  }
}

/** Creates missing parents one by one: below /proc, where no folder can be created, `mkdirSync` with `recursive` hangs. */
function createFolder(folder: string): void {
  if (isFolder(folder)) return;
  createFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

/** Also a link to nothing. Nothing is known of a folder that this user may not enter. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Nine base-36 digits of milliseconds (enough until the year 5188) and four random ones, in case the clock is set back. */
const newBootId = (): string => `${Date.now().toString(36).padStart(9, '0')}${randomText(4)}`;
