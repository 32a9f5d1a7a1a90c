import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** A row of the log, with data and metadata as the stored text. */
export interface DayRow {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly time: number;
  readonly data: string;
  readonly metadata: string;
}

// An archive file is zstd of lines of JSON: a header, one array per event with its columns (data and metadata are the stored text,
// so that every byte comes back), and an end. It has many frames, so that neither side holds all of it. Before each stands a
// skippable frame with the length of the next one, because Node's decoder drops what follows a frame in the same chunk; any zstd
// reads the file as a whole.

const FORMAT_VERSION = 1;
const FRAME_CHARACTERS = 1_048_576;
/** A frame ends with the line that makes it full, which may be as long as the largest event of an earlier version. */
const MAX_FRAME_BYTES = 64 * 1_048_576;
/** What the name of an archive ends with. */
export const ARCHIVE_SUFFIX = '.svcarchive';

/** An archive file cannot be used; the message says why and what to do. */
export class ArchiveFileUnusable extends Error {
  override readonly name = 'ArchiveFileUnusable';
  readonly code = 'ARCHIVE_FILE_UNUSABLE';
}

export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the file, 64 hex digits. */
  readonly sha256: string;
}

/** Writes the rows of a day to a file. It appears, under a name with its digest, when it is complete and synced. */
export class DayFileWriter {
  readonly #folder: string;
  readonly #day: string;
  readonly #draft: string;
  readonly #file: number;
  readonly #digest = createHash('sha256');
  #lines = '';
  #bytes = 0;
  #events = 0;

  /** @param owner distinguishes writers of one folder: only one with the same owner replaces what a killed one left */
  constructor(folder: string, day: string, owner: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#day = day;
    this.#draft = join(folder, `requests-${day}.${owner}.part`);
    rmSync(this.#draft, { force: true });
    // `wx` follows no link.
    this.#file = openSync(this.#draft, 'wx', 0o600);
    this.#line({ svcArchive: FORMAT_VERSION, day });
  }

  add({ position, stream, revision, id, type, version, time, data, metadata }: DayRow): void {
    this.#line([position, stream, revision, id, type, version, time, data, metadata]);
    this.#events += 1;
  }

  finish(): WrittenFile {
    this.#line({ end: { events: this.#events } });
    this.#flush();
    fsyncSync(this.#file);
    closeSync(this.#file);
    const sha256 = this.#digest.digest('hex');
    const name = `requests-${this.#day}.${sha256.slice(0, 12)}${ARCHIVE_SUFFIX}`;
    renameSync(this.#draft, join(this.#folder, name));
    syncFolder(this.#folder);
    return { name, bytes: this.#bytes, sha256 };
  }

  abort(): void {
    closeSync(this.#file);
    rmSync(this.#draft, { force: true });
  }

  #line(value: unknown): void {
    this.#lines += `${JSON.stringify(value)}\n`;
    if (this.#lines.length >= FRAME_CHARACTERS) this.#flush();
  }

  #flush(): void {
    if (this.#lines === '') return;
    const frame = zstdCompressSync(this.#lines);
    this.#lines = '';
    for (const bytes of [lengthFrame(frame.length), frame]) {
      this.#digest.update(bytes);
      this.#bytes += bytes.length;
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    }
  }
}

/** SHA-256 of a file. @throws ArchiveFileUnusable when it cannot be read */
export async function digestOfFile(path: string): Promise<string> {
  const digest = createHash('sha256');
  try {
    await pipeline(createReadStream(path), digest);
  } catch (error) {
    throw new ArchiveFileUnusable(`${path} cannot be read: ${(error as Error).message}. Name the archive file itself.`);
  }
  return digest.digest('hex');
}

/** Magic of a skippable frame, and the length of its content (RFC 8878, section 3.1.2). */
const SKIPPABLE = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]);
const LENGTH_BYTES = 4;

function lengthFrame(length: number): Buffer {
  const content = Buffer.alloc(LENGTH_BYTES);
  content.writeUInt32LE(length);
  return Buffer.concat([SKIPPABLE, content]);
}

/** Reads the rows of an archive file. @throws ArchiveFileUnusable when it is damaged, or not an archive file of this version */
export function* readDayFile(path: string): Generator<DayRow> {
  let events = 0;
  let isComplete = false;
  try {
    let isFirst = true;
    for (const line of linesOf(path)) {
      const value = JSON.parse(line);
      if (isFirst) requireFormat(value, path);
      else if (Array.isArray(value)) {
        events += 1;
        yield toRow(value);
      } else isComplete = value?.end?.events === events;
      isFirst = false;
    }
  } catch (error) {
    if (error instanceof ArchiveFileUnusable) throw error;
    throw new ArchiveFileUnusable(`${path} is damaged: ${(error as Error).message}. Use another copy of it.`);
  }
  if (!isComplete) throw new ArchiveFileUnusable(`${path} is incomplete: its end is missing. Use another copy of it.`);
}

function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const head = readBytes(file, SKIPPABLE.length + LENGTH_BYTES);
      if (head.length === 0) return;
      if (!head.subarray(0, SKIPPABLE.length).equals(SKIPPABLE))
        throw new ArchiveFileUnusable(`${path} is not an archive of svc.`);
      const length = head.readUInt32LE(SKIPPABLE.length);
      // Otherwise a decoder that reads several frames in a row would take the rest of the file for this one.
      if (length > MAX_FRAME_BYTES)
        throw new ArchiveFileUnusable(`${path} is damaged: a frame of ${length} bytes. Use another copy of it.`);
      const frame = readBytes(file, length);
      // Each frame ends with a line.
      yield* zstdDecompressSync(frame, { maxOutputLength: MAX_FRAME_BYTES }).toString().slice(0, -1).split('\n');
    }
  } finally {
    closeSync(file);
  }
}

/** @returns fewer bytes at the end of the file */
function readBytes(file: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  for (let count = -1; read < length && count !== 0; read += count)
    count = readSync(file, bytes, read, length - read, null);
  return bytes.subarray(0, read);
}

function requireFormat(header: { readonly svcArchive?: number }, path: string): void {
  if (header?.svcArchive === FORMAT_VERSION) return;
  throw new ArchiveFileUnusable(
    typeof header?.svcArchive === 'number'
      ? `${path} was made by a newer svc. Restore it with that version.`
      : `${path} is not an archive of svc.`,
  );
}

function toRow([position, stream, revision, id, type, version, time, data, metadata]: unknown[]): DayRow {
  return { position, stream, revision, id, type, version, time, data, metadata } as DayRow;
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
