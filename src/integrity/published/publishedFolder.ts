import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
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
  #keys = '';

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The largest checkpoint under an origin that one of the keys has signed; what others put there is not the log's.
   * @param keys public keys of 32 bytes in hex; none: any signature will do
   * @throws the error of the file system
   */
  async head({ origin, folder }: LogOrigin, keys: readonly string[]): Promise<PublishedHead | undefined> {
    if (keys.join() !== this.#keys) this.#days.clear();
    this.#keys = keys.join();
    const base = join(this.#path, folder);
    let largest: PublishedHead | undefined;
    for (const day of await namesIn(base)) {
      const head = await this.#largestOf(join(base, day), origin, keys);
      if (head && head.size > (largest?.size ?? -1)) largest = head;
    }
    return largest;
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
