import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress, zstdCompressSync } from 'node:zlib';
import type { StoredRow } from '../integrity/leaf/leafEntry.ts';

// An archive file is zstd, in frames that any zstd reads one after the other, of lines of JSON: a header, one array per event with
// its columns (data and metadata are the stored text, so that every byte comes back), and an end.

const FORMAT_VERSION = 1;
const FRAME_CHARACTERS = 1_048_576;
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

  add({ position, stream, revision, id, type, version, time, data, metadata }: StoredRow): void {
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
    this.#digest.update(frame);
    this.#bytes += frame.length;
    for (let written = 0; written < frame.length; ) written += writeSync(this.#file, frame, written);
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

/** Reads the rows of an archive file. @throws ArchiveFileUnusable when it is damaged, or not an archive file of this version */
export async function* readDayFile(path: string): AsyncGenerator<StoredRow> {
  const file = createReadStream(path);
  const input = createZstdDecompress();
  file.on('error', (error) => input.destroy(error));
  file.pipe(input);
  let events = 0;
  let isComplete = false;
  try {
    let isFirst = true;
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
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
  } finally {
    file.destroy();
    input.destroy();
  }
  if (!isComplete) throw new ArchiveFileUnusable(`${path} is incomplete: its end is missing. Use another copy of it.`);
}

function requireFormat(header: { readonly svcArchive?: number }, path: string): void {
  if (header?.svcArchive === FORMAT_VERSION) return;
  throw new ArchiveFileUnusable(
    typeof header?.svcArchive === 'number'
      ? `${path} was made by a newer svc. Restore it with that version.`
      : `${path} is not an archive of svc.`,
  );
}

function toRow([position, stream, revision, id, type, version, time, data, metadata]: unknown[]): StoredRow {
  return { position, stream, revision, id, type, version, time, data, metadata } as StoredRow;
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
