import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { followKeys, type KeyChange, openKeyChange } from '../keys/keyChange.ts';
import { openCheckpoint, parseCheckpoint } from '../notes/checkpoint.ts';
import { verifierKey } from '../notes/noteKeys.ts';
import { parseNote } from '../notes/signedNote.ts';
import { type LogOrigin, parseOrigin } from './logOrigin.ts';

/** The newest checkpoint that a place has under an origin. */
export interface PublishedHead {
  /** A path or a URL. */
  readonly source: string;
  readonly origin: string;
  readonly size: number;
  /** 64 hex digits; undefined where only the size is known. */
  readonly root?: string | undefined;
  readonly note?: string | undefined;
}

/** File names begin with the size in 16 digits. */
const CHECKPOINT_FILE = /^(\d{16})\.checkpoint$/;
const KEY_CHANGE_FILE = /\.keychange$/;

export const checkpointFile = (size: number): string => `${String(size).padStart(16, '0')}.checkpoint`;
/** UTC, so that a folder has at most the 1,440 files of a day. */
export const dayFolder = (time: number): string => new Date(time).toISOString().slice(0, 10);

/**
 * What is in the folder that checkpoints are published to. Another copy of the log may write there, too, so it is read before
 * each signature; only the folders of days that have changed since are listed again.
 */
export class PublishedFolder {
  readonly #path: string;
  /** The largest checkpoint in the folder of a day, and its time of change when it was listed. */
  readonly #days = new Map<string, { readonly changed: number; readonly largest: PublishedHead | undefined }>();
  readonly #keyChanges = new Map<string, { readonly changed: number; readonly changes: readonly KeyChange[] }>();
  #keys = '';

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The largest checkpoint under an origin that one of the keys has signed, or a key that follows from these by the changes that are
   * published: another copy of the log may have changed its key. What others put there is not the log's.
   * @param keys public keys of 32 bytes in hex; none: any signature will do
   * @throws the error of the file system
   */
  async head({ origin, folder }: LogOrigin, keys: readonly string[]): Promise<PublishedHead | undefined> {
    const base = join(this.#path, folder);
    const days = (await namesIn(base)).map((name) => join(base, name));
    const accepted = await this.#followed(days, keys);
    if (accepted.join() !== this.#keys) this.#days.clear();
    this.#keys = accepted.join();
    let largest: PublishedHead | undefined;
    for (const day of days) {
      const head = await this.#largestOf(day, origin, accepted);
      if (head && head.size > (largest?.size ?? -1)) largest = head;
    }
    return largest;
  }

  /** All checkpoints under an origin that are signed as `head` wants it. @throws the error of the file system */
  async all({ origin, folder }: LogOrigin, keys: readonly string[]): Promise<PublishedHead[]> {
    const base = join(this.#path, folder);
    const days = (await namesIn(base)).map((name) => join(base, name));
    const accepted = await this.#followed(days, keys);
    const all: PublishedHead[] = [];
    for (const day of days) {
      for (const name of (await namesIn(day)).filter((each) => CHECKPOINT_FILE.test(each))) {
        const head = await readHead(join(day, name));
        if (head?.note !== undefined && head.origin === origin && isSigned(head.note, origin, accepted)) all.push(head);
      }
    }
    return all;
  }

  /** The newest checkpoint of the origins of this log before the given one. @throws the error of the file system */
  async before({ installation, number }: LogOrigin, keys: readonly string[]): Promise<PublishedHead | undefined> {
    const origins: LogOrigin[] = [];
    for (const part of await namesIn(join(this.#path, installation))) {
      const origin = parseOrigin(part === '1' ? `svc/${installation}` : `svc/${installation}/${part}`);
      if (origin && origin.number < number) origins.push(origin);
    }
    for (const origin of origins.toSorted((left, right) => right.number - left.number)) {
      const head = await this.head(origin, keys);
      if (head) return head;
    }
    return undefined;
  }

  /** The keys, and those that follow from them. */
  async #followed(days: readonly string[], keys: readonly string[]): Promise<string[]> {
    const changes: KeyChange[] = [];
    for (const day of keys.length === 0 ? [] : days) changes.push(...(await this.#keyChangesOf(day)));
    return followKeys(keys, changes);
  }

  async #keyChangesOf(day: string): Promise<readonly KeyChange[]> {
    const changed = (await stat(day).catch(() => undefined))?.mtimeMs;
    if (changed === undefined) return [];
    const known = this.#keyChanges.get(day);
    if (known?.changed === changed) return known.changes;
    const changes: KeyChange[] = [];
    for (const name of await namesIn(day)) {
      const change = KEY_CHANGE_FILE.test(name) ? await readKeyChange(join(day, name)) : undefined;
      if (change) changes.push(change);
    }
    if (Date.now() - changed > COARSE_TIME_MS) this.#keyChanges.set(day, { changed, changes });
    return changes;
  }

  async #largestOf(day: string, origin: string, keys: readonly string[]): Promise<PublishedHead | undefined> {
    const changed = (await stat(day).catch(() => undefined))?.mtimeMs;
    if (changed === undefined) return undefined;
    const known = this.#days.get(day);
    if (known?.changed === changed) return known.largest;
    const files = (await namesIn(day)).filter((name) => CHECKPOINT_FILE.test(name)).toSorted();
    let largest: PublishedHead | undefined;
    while (files.length > 0 && !largest) {
      const head = await readHead(join(day, files.pop() as string));
      if (head?.note !== undefined && head.origin === origin && isSigned(head.note, origin, keys)) largest = head;
    }
    // Times of a file system are coarse: a folder that has just changed is listed again.
    if (Date.now() - changed > COARSE_TIME_MS) this.#days.set(day, { changed, largest });
    return largest;
  }
}

const COARSE_TIME_MS = 5_000;

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** @returns undefined for a file that is no change of a key, or whose signatures do not hold */
async function readKeyChange(file: string): Promise<KeyChange | undefined> {
  try {
    return openKeyChange(await readFile(file));
  } catch {
    return undefined;
  }
}

async function readHead(file: string): Promise<PublishedHead | undefined> {
  try {
    const note = await readFile(file, 'utf8');
    const { origin, size, root } = parseCheckpoint(parseNote(note).text);
    return { source: file, origin, size, root: root.toString('hex'), note };
  } catch {
    return undefined;
  }
}

function isSigned(note: string, origin: string, keys: readonly string[]): boolean {
  if (keys.length === 0) return true;
  try {
    openCheckpoint(
      note,
      keys.map((key) => verifierKey(origin, Buffer.from(key, 'hex'))),
    );
    return true;
  } catch {
    return false;
  }
}
