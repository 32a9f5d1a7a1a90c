import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { RESTORE_DRAFT } from '../../dataFolder/dataFolder.ts';
import { DataFolderInUse, FolderLock, LOCK_FILE } from '../../dataFolder/folderLock.ts';
import { BackupRefused } from '../format/backupRefused.ts';

/** What is restored, before it is the data folder. */
export interface RestoreDraft {
  /** The folder to write to. */
  readonly path: string;
  /** Makes the draft the data folder. */
  accept(): void;
  /** Removes what was written, unless it was accepted. */
  close(): void;
}

/** Moved last: without it, no service starts over the rest. */
const LAST = ['log.sqlite', 'outbox.sqlite'];

/**
 * Begins a restore in a folder that is missing or empty. Everything is written to a folder within it, so that a mount point can be
 * restored to, and moved up when it is complete and synced. A service does not start while the draft is there; the next restore
 * removes it.
 * @throws BackupRefused | DataFolderInUse, and the errors of the file system
 */
export function beginRestore(folder: string): RestoreDraft {
  const isNew = !existsSync(folder);
  if (isNew) mkdirSync(folder, { recursive: true, mode: 0o700 });
  else requireEmpty(folder);
  const path = join(folder, RESTORE_DRAFT);
  let lock: FolderLock | undefined;
  const removeAll = (): void => {
    rmSync(path, { recursive: true, force: true });
    lock?.close();
    for (const name of [LOCK_FILE, `${LOCK_FILE}-journal`]) rmSync(join(folder, name), { force: true });
    if (isNew) rmdirSync(folder);
  };
  try {
    lock = new FolderLock(folder);
    requireEmpty(folder);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // What another process writes to the folder stays.
    if (!(error instanceof BackupRefused || error instanceof DataFolderInUse)) removeAll();
    else lock?.close();
    throw error;
  }
  let isAccepted = false;
  return {
    path,
    accept() {
      const names = readdirSync(path);
      for (const name of names) syncPath(join(path, name));
      syncPath(path);
      const order = [...names.filter((name) => !LAST.includes(name)), ...names.filter((name) => LAST.includes(name))];
      for (const name of order) renameSync(join(path, name), join(folder, name));
      syncPath(folder);
      rmdirSync(path);
      syncPath(folder);
      isAccepted = true;
    },
    close() {
      if (isAccepted) lock.close();
      else removeAll();
    },
  };
}

/** What an empty folder may have: the lock and its journal, what an earlier restore left, compiled code, what a new disk has. */
const HARMLESS = [LOCK_FILE, `${LOCK_FILE}-journal`, RESTORE_DRAFT, '.svc-compiled', 'lost+found'];

function requireEmpty(folder: string): void {
  const found = readdirSync(folder).filter((name) => !HARMLESS.includes(name));
  if (found.length === 0) return;
  throw new BackupRefused(
    `${folder} is not empty: it has ${found.slice(0, 3).join(', ')}${found.length > 3 ? ' and more' : ''}. ` +
      'Set SVC_DATA_DIR to a folder that is missing or empty, or move these files away.',
  );
}

function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
