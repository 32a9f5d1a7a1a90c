import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { remedyForOwnFile } from './fileErrors.ts';
import { inodeOf } from './folderLock.ts';

/** Bytes of a slot. Slots do not share a disk sector or a page of the operating system. */
const SLOT_BYTES = 16_384;
const SLOTS = 2;
/** A write takes some 10 us, about as long as a commit of a few events takes the thread of the log. */
const WRITE_INTERVAL_MS = 5;
const SYNC_INTERVAL_MS = 500;
const FORMAT = 'svc-mark-1';

/** A mark file cannot be read or written; the message says why and what to do. */
export class CannotUseMarkFile extends Error {
  override readonly name = 'CannotUseMarkFile';
  readonly code = 'CANNOT_USE_MARK_FILE';
  constructor(path: string, cause: unknown) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const fallback = isMissing ? 'It is a link to nothing: restore its file.' : 'Give it to the user that runs svc.';
    const remedy = remedyForOwnFile(cause, fallback);
    super(`${path}, which says how far svc has written, cannot be used: ${(cause as Error).message}. ${remedy}`, {
      cause,
    });
  }
}

/** What a mark file contains. */
export type MarkFileContent<Mark> =
  | { readonly kind: 'mark'; readonly mark: Mark }
  | { readonly kind: 'missing' }
  /** No slot is intact. */
  | { readonly kind: 'damaged' };

export interface MarkFileOptions {
  /** Called when the mark cannot be written, once however often that is tried. */
  readonly onFailure?: (error: Error) => void;
  /** Called when it is written again. */
  readonly onRecovered?: () => void;
  readonly syncIntervalMs?: number;
}

/**
 * A small file that holds the last of many values, and survives a power cut at any instant: two slots, each with a
 * checksum and a counter. The value that was last synced stays in one slot while the other is written.
 *
 * `note` costs no sync: it writes to the page cache within 5 ms, which survives the end of the process. Twice a second, a thread of
 * libuv's pool syncs the file, so that a power cut loses at most half a second of notes; `close` syncs the last one. As often it is
 * looked whether the file is still there and complete: one that was deleted, replaced or cut is written again.
 */
export class MarkFile<Mark> {
  readonly #path: string;
  #file: number;
  #inode: string | undefined;
  readonly #options: MarkFileOptions;
  #counter: number;
  /** The slot that is written; the other one has been synced. */
  #slot: number;
  #unwritten: Mark | undefined;
  /** What was written last. */
  #written: Mark | undefined;
  /** The least size of the file after what was written. */
  #bytes = 0;
  #isWriteDue = false;
  #isUnsynced = false;
  #isSyncing = false;
  #isClosed = false;
  #hasFailed = false;
  #syncTimer: NodeJS.Timeout | undefined;

  /** @throws CannotUseMarkFile */
  constructor(path: string, options: MarkFileOptions = {}) {
    this.#path = path;
    this.#options = options;
    try {
      const newest = newestSlot<Mark>(path);
      this.#counter = newest?.counter ?? 0;
      this.#slot = newest ? (newest.slot + 1) % SLOTS : 0;
      const isNew = !existsSync(path);
      this.#file = openSync(path, isNew ? 'w+' : 'r+', 0o600);
      this.#inode = inodeOf(path);
      if (isNew) syncFolder(dirname(path));
    } catch (error) {
      throw new CannotUseMarkFile(path, error);
    }
  }

  /** Notes a value. It is in the file a few milliseconds later, with those noted meanwhile. */
  note(mark: Mark): void {
    if (this.#isClosed) return;
    this.#unwritten = mark;
    if (this.#isWriteDue) return;
    this.#isWriteDue = true;
    // Also after the outcome of the append was sent.
    setTimeout(() => {
      this.#isWriteDue = false;
      if (!this.#isClosed) this.#attempt(() => this.#write());
    }, WRITE_INTERVAL_MS).unref();
    this.#startSyncing();
  }

  #startSyncing(): void {
    this.#syncTimer ??= setInterval(() => this.#sync(), this.#options.syncIntervalMs ?? SYNC_INTERVAL_MS).unref();
  }

  /** Writes and syncs a value before it returns. @throws CannotUseMarkFile */
  noteNow(mark: Mark): void {
    this.#unwritten = mark;
    this.#startSyncing();
    try {
      this.#write();
      fdatasyncSync(this.#file);
    } catch (error) {
      throw new CannotUseMarkFile(this.#path, error);
    }
    this.#onSynced();
  }

  /** Writes and syncs the last value. */
  close(): void {
    if (this.#isClosed) return;
    clearInterval(this.#syncTimer);
    // From here on a sync that is under way keeps nothing from being written: the other slot was synced before it.
    this.#isClosed = true;
    this.#attempt(() => {
      this.#restore();
      this.#write();
      if (this.#isUnsynced) fdatasyncSync(this.#file);
    });
    // A sync in the thread pool still uses the file, and closes it then.
    if (!this.#isSyncing) closeSync(this.#file);
  }

  #write(): void {
    // The slot that is being synced must not change under the sync, unless this is the last write.
    if (this.#unwritten === undefined || (this.#isSyncing && !this.#isClosed)) return;
    this.#counter += 1;
    const bytes = encode(this.#counter, this.#unwritten, this.#path);
    const at = this.#slot * SLOT_BYTES;
    writeSync(this.#file, bytes, 0, bytes.length, at);
    this.#bytes = Math.max(this.#bytes, at + bytes.length);
    this.#written = this.#unwritten;
    this.#unwritten = undefined;
    this.#isUnsynced = true;
  }

  /** Writes the last value again if the file was deleted, replaced or cut. */
  #restore(): void {
    if (this.#written === undefined) return;
    if (inodeOf(this.#path) !== this.#inode) {
      const file = openSync(this.#path, 'w+', 0o600);
      // At a stop, a sync may still use the deleted one, which the end of the process closes.
      if (!this.#isSyncing) closeSync(this.#file);
      this.#file = file;
      this.#inode = inodeOf(this.#path);
      syncFolder(dirname(this.#path));
    } else if (fstatSync(this.#file).size >= this.#bytes) return;
    this.#bytes = 0;
    this.#unwritten ??= this.#written;
  }

  #sync(): void {
    if (this.#isSyncing) return;
    this.#attempt(() => {
      this.#restore();
      this.#write();
    });
    if (!this.#isUnsynced) return;
    this.#isSyncing = true;
    fdatasync(this.#file, (error) => {
      this.#isSyncing = false;
      if (this.#isClosed) {
        closeSync(this.#file);
        return;
      }
      if (error) this.#failSync(error);
      else this.#onSynced();
      this.#attempt(() => this.#write());
    });
  }

  /** The next value goes to the other slot. */
  #onSynced(): void {
    this.#isUnsynced = false;
    this.#slot = (this.#slot + 1) % SLOTS;
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    this.#options.onRecovered?.();
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** The system may have forgotten what it could not sync, and a later sync says nothing about it: it must be written again. */
  #failSync(error: Error): void {
    this.#unwritten ??= this.#written;
    this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onFailure?.(error);
  }
}

/** Reads the last value of a mark file. @throws CannotUseMarkFile */
export function readMarkFile<Mark>(path: string): MarkFileContent<Mark> {
  if (!existsSync(path)) return { kind: 'missing' };
  try {
    const newest = newestSlot<Mark>(path);
    return newest ? { kind: 'mark', mark: newest.mark } : { kind: 'damaged' };
  } catch (error) {
    throw new CannotUseMarkFile(path, error);
  }
}

interface Slot<Mark> {
  readonly slot: number;
  readonly counter: number;
  readonly mark: Mark;
}

function newestSlot<Mark>(path: string): Slot<Mark> | undefined {
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  return Array.from({ length: SLOTS }, (_, slot) => decode<Mark>(bytes, slot))
    .filter((slot) => slot !== undefined)
    .toSorted((left, right) => right.counter - left.counter)[0];
}

/** One line, readable without svc: `svc-mark-1 <CRC-32 of the rest> <counter> <JSON>`. */
function encode(counter: number, mark: unknown, path: string): Buffer {
  const content = `${counter} ${JSON.stringify(mark)}`;
  const bytes = Buffer.from(`${FORMAT} ${checksum(content)} ${content}\n`);
  if (bytes.length > SLOT_BYTES) throw new Error(`a mark of ${bytes.length} bytes does not fit into ${path}`);
  return bytes;
}

function decode<Mark>(bytes: Buffer, slot: number): Slot<Mark> | undefined {
  // After the line come remains of longer ones.
  const [text = ''] = bytes.toString('utf8', slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES).split('\n', 1);
  const found = /^(\S+) ([0-9a-f]{8}) ((\d+) (.*))$/s.exec(text);
  if (!found || found[1] !== FORMAT || found[2] !== checksum(found[3] as string)) return undefined;
  return { slot, counter: Number(found[4]), mark: JSON.parse(found[5] as string) as Mark };
}

const checksum = (content: string): string => crc32(content).toString(16).padStart(8, '0');

/** Makes the creation of a file durable. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
