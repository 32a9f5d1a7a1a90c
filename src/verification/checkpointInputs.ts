import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type UntouchedFile, untouchedFile } from '../dataFolder/untouchedFile.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { parseVkey, type VerifierKey, verifierKey } from '../integrity/notes/noteKeys.ts';
import { type CheckedPublished, checkPublished } from '../integrity/published/checkPublished.ts';
import { collectNotes, type Published, readPublished } from '../integrity/published/readPublished.ts';
import { type CheckedLog, type CheckpointComparison, compareCheckpoints } from './checkpointFindings.ts';
import { CannotVerify, type CheckpointOptions } from './verifyOptions.ts';

export interface CheckpointPlaces extends CheckpointOptions {
  /** The data folder; undefined for a file. */
  readonly folder?: string | undefined;
  /** A folder for a copy of `checkpoints.sqlite`. */
  readonly temporary?: string;
}

interface OwnNotes {
  readonly notes: readonly { readonly source: string; readonly text: string }[];
  /** Keys that have signed, under the origin of their notes. */
  readonly keys: readonly VerifierKey[];
}

const NO_OWN: OwnNotes = { notes: [], keys: [] };
const NONE: Published = { checkpoints: [], keyChanges: [], unreadable: [] };

/** The checkpoints of a log, read before the log itself, so that none is ahead of an intact one. */
export class CheckpointInputs {
  /** The own file of the data folder. */
  readonly file: UntouchedFile | undefined;
  /** Sizes of trees whose roots are needed. */
  readonly sizes: readonly number[];
  readonly #notes: Published;
  readonly #checked: CheckedPublished;
  readonly #keys: readonly VerifierKey[];
  readonly #trusted: VerifierKey | undefined;
  readonly #remarks: string[] = [];

  /** @throws CannotVerify when there is no checkpoint where the caller said */
  constructor({ folder, temporary = '', checkpoints, isOptional = false, publicKey }: CheckpointPlaces) {
    const path = folder === undefined ? undefined : join(folder, 'checkpoints.sqlite');
    this.file = path !== undefined && existsSync(path) ? untouchedFile(path, temporary) : undefined;
    const own = this.file ? this.#readOwn(this.file.location) : NO_OWN;
    const ownNotes = collectNotes(own.notes);
    const published = checkpoints === undefined ? NONE : this.#readPublished(checkpoints, isOptional);
    this.#notes = {
      checkpoints: [...published.checkpoints, ...ownNotes.checkpoints],
      keyChanges: [...published.keyChanges, ...ownNotes.keyChanges],
      unreadable: [...published.unreadable, ...ownNotes.unreadable],
    };
    this.#trusted = publicKey;
    this.#keys = publicKey ? [publicKey] : [...keysIn(folder), ...own.keys];
    this.#checked = checkPublished(this.#notes, this.#keys);
    this.sizes = this.#checked.origins.flatMap(({ checkpoints: all, continues }) => [
      ...all.map(({ size }) => size),
      ...(continues ? [continues.size] : []),
    ]);
  }

  compare(log: CheckedLog): CheckpointComparison {
    const comparison = compareCheckpoints(this.#checkedOf(log), this.#trusted, log);
    return { ...comparison, notes: [...this.#remarks, ...comparison.notes] };
  }

  /** A key whose loss the log has accepted is named by that event, which checkpoints of its successor cover. */
  #checkedOf({ losses }: CheckedLog): CheckedPublished {
    const lost = losses.flatMap(({ lostKey }) => (lostKey === undefined ? [] : [Buffer.from(lostKey, 'hex')]));
    const [first] = this.#keys;
    if (!first || lost.length === 0) return this.#checked;
    return checkPublished(this.#notes, [...this.#keys, ...lost.map((key) => verifierKey(first.name, key))]);
  }

  #readOwn(location: string): OwnNotes {
    try {
      return readOwnNotes(location);
    } catch (error) {
      this.#remarks.push(`checkpoints.sqlite cannot be read, so that it was not compared: ${(error as Error).message}`);
      return NO_OWN;
    }
  }

  #readPublished(path: string, isOptional: boolean): Published {
    try {
      const published = readPublished(path);
      if (published.checkpoints.length + published.unreadable.length > 0 || isOptional) return published;
    } catch (error) {
      const problem = `The checkpoints in ${path} cannot be read: ${(error as Error).message}.`;
      if (!isOptional) throw new CannotVerify(problem, { cause: error });
      this.#remarks.push(problem);
      return NONE;
    }
    throw new CannotVerify(`There is no checkpoint in ${path}.`);
  }
}

/** Reads the notes in `checkpoints.sqlite`. @throws the error of SQLite */
function readOwnNotes(location: string): OwnNotes {
  const database = openForReading(location);
  try {
    const notes = database.prepare('SELECT note AS text FROM notes ORDER BY seq').all();
    const keys = database.prepare('SELECT DISTINCT origin, public_key AS publicKey FROM notes').all();
    return {
      notes: notes.map(({ text }) => ({ source: 'checkpoints.sqlite', text: text as string })),
      keys: keys.map(({ origin, publicKey }) => verifierKey(origin as string, Buffer.from(publicKey as string, 'hex'))),
    };
  } finally {
    database.close();
  }
}

/** The key in `checkpoint.pub`; a file that is no key is as good as none. */
function keysIn(folder: string | undefined): VerifierKey[] {
  const path = join(folder ?? '', 'checkpoint.pub');
  if (folder === undefined || !existsSync(path)) return [];
  try {
    return [parseVkey(readFileSync(path, 'utf8').trim())];
  } catch {
    return [];
  }
}
