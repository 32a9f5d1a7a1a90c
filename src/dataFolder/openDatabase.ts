import { existsSync, lstatSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions, type StatementSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { isFileError, remedyFor, remedyForReadOnly } from './fileErrors.ts';

/** What an operator can do about a damaged file, by its name. */
const REMEDIES: Readonly<Record<string, string>> = {
  'vault.sqlite':
    'Restore it from a backup, together with master.key. To go on without it, run "svc accept-loss --vault": every account must then sign in again.',
  'outbox.sqlite':
    'Its events may exist nowhere else: keep it. Restore it from a backup, or move it away and run "svc accept-loss" to go on without them.',
  'mirror.sqlite': 'Stop svc and delete it: the next start copies it again from EventStoreDB.',
  'checkpoints.sqlite':
    'Stop svc and restore it from a backup, or delete it: checkpoints go on, and earlier ones are where they were published.',
  'tree.sqlite': 'Stop svc and delete it: the next start makes it again from the event log.',
  'readmodels.sqlite': 'Stop svc and delete it: the next start makes it again from the event log.',
};
const RESTORE = 'Stop svc and restore the data folder from a backup.';

/** Result codes of SQLite for a file without a usable database (sqlite.org/rescode.html). */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

/** Whether an error of SQLite means that the file is damaged. */
export const isDamaged = (error: unknown): boolean =>
  DAMAGED.has(((error as { errcode?: number }).errcode ?? 0) & 0xff);

/** The file that an error is about; its message names the file and the remedy. */
const files = new WeakMap<object, string>();

/** The path of the file whose damage an error describes; undefined for any other error. */
export const damagedFile = (error: unknown): string | undefined => files.get(error as object);

export interface Damage {
  readonly path: string;
  readonly cause: string;
  readonly remedy: string;
}

const SENTENCE = /(?:^|: )(\/.+?|[A-Za-z]:\\.+?) is damaged, or not a file of svc: ([^.]+)\. (.+)$/;

/** The damage that an error is about, also one that came from another thread; undefined for any other error. */
export function damageIn(error: unknown): Damage | undefined {
  const [, path, problem, remedy] = SENTENCE.exec((error as Error).message ?? '') ?? [];
  if (path === undefined || remedy === undefined) return undefined;
  return { path, cause: `${path} is damaged, or not a file of svc: ${problem}.`, remedy };
}

const CANNOT_OPEN = 14;

/** Whether an error of SQLite means that it cannot open a file, or one beside it. */
export const isCannotOpen = (error: unknown): boolean =>
  (((error as { errcode?: number }).errcode ?? 0) & 0xff) === CANNOT_OPEN;

/** What an operator can do about a file that cannot be opened. */
export const REMEDY_TO_OPEN = 'Give it to the user that runs svc.';

const remedyToOpen = (path: string): string => {
  const folder = dirname(path);
  return existsSync(folder)
    ? (remedyForReadOnly(folder) ?? REMEDY_TO_OPEN)
    : `There is no folder ${folder}: create it, or set SVC_DATA_DIR to another.`;
};

/** Errors whose message names the file that cannot be opened. */
const unopened = new WeakSet<object>();

/** Whether the message of an error names its file and what to do. */
export const namesFile = (error: unknown): boolean => damagedFile(error) !== undefined || unopened.has(error as object);

function describeError(error: unknown, path: string): unknown {
  if (namesFile(error)) return error;
  if (isCannotOpen(error)) {
    const failure = error as Error;
    failure.message = isLinkToNothing(path)
      ? `${path} cannot be opened: it is a link to a file that does not exist. ${REMEDIES[basename(path)] ?? RESTORE}`
      : `${path} cannot be opened: ${failure.message}. ${remedyToOpen(path)}`;
    unopened.add(failure);
    return failure;
  }
  if (!isDamaged(error)) return error;
  const damaged = error as Error;
  damaged.message = `${path} is damaged, or not a file of svc: ${damaged.message}. ${REMEDIES[basename(path)] ?? RESTORE}`;
  files.set(damaged, path);
  return damaged;
}

/**
 * An error of opening a file, with the file and what to do. Errors of full and broken disks have neither.
 * @param remedy by the cause; default: for a start
 */
export function describeOpening(error: unknown, path: string, remedy = remedyFor): unknown {
  if (namesFile(error) || !isFileError(error)) return error;
  const failure = error as Error;
  failure.message = `${path} cannot be opened: ${failure.message}. ${remedy(error, REMEDY_TO_OPEN)}`;
  unopened.add(failure);
  return failure;
}

const isLinkToNothing = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
  statSync(path, { throwIfNoEntry: false }) === undefined;

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** What SQLite creates beside a database and removes again. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/** SQLite opens a folder for reading, and then calls it a disk error; about one beside the file it names the wrong cause. */
function refuseFolder(path: string): void {
  const companion = COMPANIONS.map((suffix) => path + suffix).find(isFolder);
  if (isFolder(path))
    throw cannotOpen(`${path} cannot be opened: it is a folder. ${REMEDIES[basename(path)] ?? RESTORE}`);
  if (companion === undefined) return;
  throw cannotOpen(
    `${path} cannot be opened: ${companion} is a folder, but SQLite needs a file there. Move the folder away, and put the file back if there was one.`,
  );
}

function cannotOpen(message: string): Error {
  const error = new Error(message);
  unopened.add(error);
  return Object.assign(error, { errcode: CANNOT_OPEN });
}

/**
 * Opens a SQLite file of the data folder. Damage may be found by any read or write, at any time: such an error names the
 * file and says what to do about it, as does one about a file that cannot be opened; its `errcode` is unchanged.
 * @throws the error of SQLite
 */
export const openDatabase = (location: string, options?: DatabaseSyncOptions): DatabaseSync =>
  new NamedDatabase(location, options);

/** The path of what SQLite opens: a path, or a `file:` URI. */
export const pathIn = (location: string): string => (location.startsWith('file:') ? fileURLToPath(location) : location);

class NamedDatabase extends DatabaseSync {
  readonly #path: string;

  constructor(location: string, options: DatabaseSyncOptions = {}) {
    const path = pathIn(location);
    refuseFolder(path);
    try {
      super(location, options);
    } catch (error) {
      throw describeError(error, path);
    }
    this.#path = path;
  }

  override exec(sql: string): void {
    try {
      super.exec(sql);
    } catch (error) {
      throw describeError(error, this.#path);
    }
  }

  override prepare(sql: string): StatementSync {
    const path = this.#path;
    try {
      return withDescribedErrors(super.prepare(sql), path);
    } catch (error) {
      throw describeError(error, path);
    }
  }
}

const METHODS = ['all', 'get', 'run'] as const;

function withDescribedErrors(statement: StatementSync, path: string): StatementSync {
  for (const name of METHODS) {
    const method = statement[name].bind(statement) as (...args: unknown[]) => unknown;
    Object.defineProperty(statement, name, {
      value: (...args: unknown[]) => {
        try {
          return method(...args);
        } catch (error) {
          throw describeError(error, path);
        }
      },
    });
  }
  return statement;
}
