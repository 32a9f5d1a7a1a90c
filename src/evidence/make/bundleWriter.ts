import { createHash, hash as digest } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { COMMENT_LENGTH, COMMENT_PREFIX } from '../format/bundleFile.ts';
import type { BundledFile } from '../format/manifest.ts';
import { centralRecord, endRecords, localHeader, type ZipEntry } from '../format/zipFormat.ts';

const compress = promisify(deflateRaw);
/** Lines of events become a sixth. Level 6 makes them no smaller, level 1 a tenth larger. */
const LEVEL = 5;
/** Entries that zlib compresses, in threads of its own, while the next ones are made. */
const MAX_WAITING = 3;

interface CompressedEntry {
  readonly name: string;
  readonly content: Buffer;
  readonly compressed: Promise<Buffer>;
}

export interface WriterOptions {
  /** No file becomes larger. */
  readonly maxBytes?: number | undefined;
  /** Compresses in the calling thread, whose priority is low, and not in the threads of the process. */
  readonly isBackground?: boolean | undefined;
}

/** The bundle would have more bytes than it may have. */
export class BundleTooLarge extends Error {
  override readonly name = 'BundleTooLarge';
}

/** Writes the entries of a bundle one after the other. */
export class BundleWriter {
  readonly #file: FileHandle;
  readonly #options: WriterOptions;
  readonly #sha256 = createHash('sha256');
  readonly #entries: ZipEntry[] = [];
  readonly #files: BundledFile[] = [];
  readonly #waiting: CompressedEntry[] = [];
  #offset = 0;

  constructor(file: FileHandle, options: WriterOptions = {}) {
    this.#file = file;
    this.#options = options;
  }

  /** The entries so far, with the digests of their contents. */
  get files(): readonly BundledFile[] {
    return this.#files;
  }

  async add(name: string, text: string | Buffer): Promise<void> {
    const content = typeof text === 'string' ? Buffer.from(text) : text;
    this.#files.push({ name, bytes: content.length, sha256: digest('sha256', content, 'hex') });
    const compressed = this.#options.isBackground
      ? Promise.resolve(deflateRawSync(content, { level: LEVEL }))
      : compress(content, { level: LEVEL });
    // It is awaited in its turn; until then a failure is not unhandled.
    compressed.catch(() => undefined);
    this.#waiting.push({ name, content, compressed });
    if (this.#waiting.length > MAX_WAITING) await this.#writeNext();
  }

  /**
   * Writes what ends the file.
   * @returns its size and the SHA-256 of all of its bytes, 64 hex digits
   */
  async finish(): Promise<{ readonly bytes: number; readonly sha256: string }> {
    while (this.#waiting.length > 0) await this.#writeNext();
    const directoryOffset = this.#offset;
    for (const entry of this.#entries) await this.#write(centralRecord(entry));
    const directoryBytes = this.#offset - directoryOffset;
    await this.#write(endRecords({ entries: this.#entries.length, directoryOffset, directoryBytes }, COMMENT_LENGTH));
    await this.#write(Buffer.from(COMMENT_PREFIX));
    await this.#write(Buffer.from(this.#sha256.copy().digest('hex')));
    return { bytes: this.#offset, sha256: this.#sha256.digest('hex') };
  }

  async #writeNext(): Promise<void> {
    const { name, content, compressed } = this.#waiting.shift() as CompressedEntry;
    const bytes = await compressed;
    const sizes = { name, crc32: crc32(content), compressedSize: bytes.length, size: content.length };
    this.#entries.push({ ...sizes, offset: this.#offset });
    await this.#write(localHeader(sizes));
    await this.#write(bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#sha256.update(bytes);
    this.#offset += bytes.length;
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#offset > maxBytes) throw new BundleTooLarge(`The bundle has more than ${maxBytes} bytes.`);
    // Unlike `write`, it goes on where the disk took only a part.
    await this.#file.appendFile(bytes);
  }
}
