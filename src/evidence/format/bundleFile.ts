import {
  centralRecord,
  END_BYTES,
  endRecords,
  localHeader,
  readCentralDirectory,
  readEnd,
  ZIP64_END_BYTES,
  ZIP64_LOCATOR_BYTES,
  type ZipEntry,
} from './zipFormat.ts';

/** The comment of the ZIP file, and so its last bytes: this text, then the SHA-256 of all bytes before that hash. */
export const COMMENT_PREFIX = 'svc-evidence sha256 ';
export const DIGEST_CHARACTERS = 64;
export const COMMENT_LENGTH = COMMENT_PREFIX.length + DIGEST_CHARACTERS;

/** No entry has more bytes, compressed or not: a reader holds one in memory. */
export const MAX_ENTRY_BYTES = 64 * 1_048_576;
const MAX_DIRECTORY_BYTES = 64 * 1_048_576;

/** A file whose parts can be read. */
export interface ByteSource {
  readonly size: number;
  /** Resolves with exactly the bytes from `from` to before `to`. */
  read(from: number, to: number): Promise<Uint8Array>;
}

/** The file is not as svc writes a bundle; the message says what was found. */
export class NotABundle extends Error {
  override readonly name = 'NotABundle';
}

/** The entries of a bundle, whose headers are exactly those that svc writes. */
export interface BundleFile {
  readonly entries: readonly ZipEntry[];
  /** The SHA-256 that the comment names. */
  readonly digest: string;
  /** The compressed bytes of an entry. @throws NotABundle when its header is another one */
  readCompressed(entry: ZipEntry): Promise<Uint8Array>;
}

/**
 * Reads the directory of a bundle. Every byte that is not content of an entry must be the one that svc writes there.
 * @throws NotABundle
 */
export async function openBundle(source: ByteSource): Promise<BundleFile> {
  const commentAt = source.size - COMMENT_LENGTH;
  const tailFrom = Math.max(0, commentAt - END_BYTES - ZIP64_LOCATOR_BYTES - ZIP64_END_BYTES);
  if (commentAt < END_BYTES) throw new NotABundle('it is too short');
  const tail = await source.read(tailFrom, source.size);
  const comment = ascii(tail.subarray(commentAt - tailFrom));
  const digest = comment.slice(COMMENT_PREFIX.length);
  if (!comment.startsWith(COMMENT_PREFIX) || !/^[0-9a-f]{64}$/.test(digest)) {
    throw new NotABundle('its end is missing, or something was appended');
  }
  const beforeComment = tail.subarray(0, commentAt - tailFrom);
  const end = readEnd(beforeComment);
  if (!end) throw new NotABundle('its end is not that of a ZIP file');
  const { directoryOffset, directoryBytes } = end;
  const records = endRecords(end, COMMENT_LENGTH);
  if (!isSame(beforeComment.subarray(-records.length), records)) throw new NotABundle('its end was changed');
  if (directoryOffset + directoryBytes + records.length !== commentAt || directoryBytes > MAX_DIRECTORY_BYTES) {
    throw new NotABundle('its directory is not where its end says');
  }
  const directory = await source.read(directoryOffset, directoryOffset + directoryBytes);
  const entries = readCentralDirectory(directory, end.entries);
  if (!entries) throw new NotABundle('its directory was changed');
  requireExactDirectory(entries, directory, directoryOffset);
  return {
    entries,
    digest,
    async readCompressed(entry) {
      const header = localHeader(entry);
      const bytes = await source.read(entry.offset, entry.offset + header.length + entry.compressedSize);
      if (!isSame(bytes.subarray(0, header.length), header))
        throw new NotABundle(`the header of ${entry.name} was changed`);
      return bytes.subarray(header.length);
    },
  };
}

function requireExactDirectory(entries: readonly ZipEntry[], directory: Uint8Array, directoryOffset: number): void {
  let at = 0;
  let offset = 0;
  const names = new Set<string>();
  for (const entry of entries) {
    const record = centralRecord(entry);
    if (!isSame(directory.subarray(at, at + record.length), record)) {
      throw new NotABundle('a record of its directory was changed');
    }
    if (!/^[\w./-]+$/.test(entry.name) || names.has(entry.name))
      throw new NotABundle('two of its entries share a name');
    if (entry.offset !== offset) throw new NotABundle(`${entry.name} does not follow the entry before it`);
    if (Math.max(entry.size, entry.compressedSize) > MAX_ENTRY_BYTES)
      throw new NotABundle(`${entry.name} is too large`);
    names.add(entry.name);
    at += record.length;
    offset += localHeader(entry).length + entry.compressedSize;
  }
  if (offset !== directoryOffset) throw new NotABundle('something stands between its entries and its directory');
}

const ascii = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
