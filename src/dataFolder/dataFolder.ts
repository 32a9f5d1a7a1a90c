import { randomInt } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { remedyFor } from './fileErrors.ts';

/** Another process works in the folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
  readonly code = 'DATA_FOLDER_IN_USE';
}

/** The folder cannot be used; the message says why and what to do. */
export class CannotUseDataFolder extends Error {
  override readonly name = 'CannotUseDataFolder';
  readonly code = 'CANNOT_USE_DATA_FOLDER';
}

/** A node id would break the names of streams. */
export class InvalidNodeId extends Error {
  override readonly name = 'InvalidNodeId';
  readonly code = 'INVALID_NODE_ID';
}

export interface DataFolder {
  readonly path: string;
  /** Names this node's streams; the same at every start. */
  readonly node: string;
  /** Names this start: later ones sort behind it. A copy of the folder gets its own and cannot fork a stream. */
  readonly boot: string;
  file(name: string): string;
  /** Lets other processes in. */
  close(): void;
}

/** `.` and `_` separate the parts of a stream's name; the first `-` ends its category. */
const NODE_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
const SQLITE_BUSY = 5;

/**
 * Takes a data folder for this process, and makes it when it is not there, readable by its owner only. The lock is the
 * operating system's and goes with the process, also after `kill -9`.
 * @param nodeId kept from now on; one is made up the first time when it is absent
 * @throws DataFolderInUse | CannotUseDataFolder | InvalidNodeId
 */
export function openDataFolder(path: string, { nodeId }: { readonly nodeId?: string | undefined } = {}): DataFolder {
  const folder = resolve(path);
  const file = (name: string): string => join(folder, name);
  const lock = takeLock(folder, file('lock.sqlite'));
  try {
    return {
      path: folder,
      node: keptNodeId(file('node-id'), nodeId),
      boot: newBootId(),
      file,
      close: () => lock.close(),
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

function takeLock(folder: string, path: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(folder);
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) {
      throw new DataFolderInUse(`${folder} is in use by another svc process. Stop it, or set SVC_DATA_DIR.`);
    }
    throw new CannotUseDataFolder(
      `${folder} cannot be the data folder: ${(error as Error).message}. ` +
        remedyFor(error, 'Set SVC_DATA_DIR to a folder that this user may write to, with all that is in it.'),
      { cause: error },
    );
  }
}

/** Level by level: where nobody can make a folder, as below /proc, Node's own `recursive` never returns. */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been quicker.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function keptNodeId(path: string, given: string | undefined): string {
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  const node = given ?? kept ?? randomText(8);
  if (!NODE_ID.test(node)) {
    throw new InvalidNodeId(`"${node}" cannot be a node id (SVC_NODE_ID or ${path}): use 1 to 63 of a-z, 0-9 and -`);
  }
  if (node !== kept) writeSafely(path, `${node}\n`);
  return node;
}

/** Synced and renamed into place: after a power cut the file is the old one or the new one, never half of it. */
function writeSafely(path: string, text: string): void {
  const draft = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeSync(draft, text);
    fsyncSync(draft);
  } finally {
    closeSync(draft);
  }
  renameSync(`${path}.new`, path);
}

/** Milliseconds in base 36, nine digits until the year 5188, and four by chance for a clock that was set back. */
const newBootId = (): string => `${Date.now().toString(36).padStart(9, '0')}${randomText(4)}`;

const randomText = (length: number): string => Array.from({ length }, () => randomInt(36).toString(36)).join('');
