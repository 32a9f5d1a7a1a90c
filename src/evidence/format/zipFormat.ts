// The headers of a ZIP file as bundles have them: compressed entries, no time, Zip64 only where a number does not fit
// (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). There is exactly one way to write each, so that a reader
// compares them byte by byte and nothing can hide between them.

export interface ZipEntry {
  /** ASCII. */
  readonly name: string;
  readonly crc32: number;
  /** Bytes as they stand in the file, compressed. */
  readonly compressedSize: number;
  readonly size: number;
  /** Where its header begins in the file. */
  readonly offset: number;
}

const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const VERSION = 20;
const VERSION_ZIP64 = 45;
const DEFLATED = 8;
/** 1 January 1980, the first day that the format knows. */
const DATE = 0x21;

export const LOCAL_HEADER_BYTES = 30;
export const CENTRAL_RECORD_BYTES = 46;
export const END_BYTES = 22;
export const ZIP64_END_BYTES = 56;
export const ZIP64_LOCATOR_BYTES = 20;

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const ZIP64_END = 0x06064b50;
const ZIP64_LOCATOR = 0x07064b50;

/** Writes little-endian numbers one after the other. */
class Fields {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
    this.#view = new DataView(this.bytes.buffer);
  }

  u16(...values: number[]): this {
    for (const value of values) {
      this.#view.setUint16(this.#at, value, true);
      this.#at += 2;
    }
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) {
      this.#view.setUint32(this.#at, value, true);
      this.#at += 4;
    }
    return this;
  }

  u64(...values: number[]): this {
    for (const value of values) {
      this.#view.setBigUint64(this.#at, BigInt(value), true);
      this.#at += 8;
    }
    return this;
  }

  ascii(text: string): this {
    for (let index = 0; index < text.length; index += 1) this.bytes[this.#at++] = text.charCodeAt(index);
    return this;
  }
}

/** What stands before the bytes of an entry. */
export function localHeader({ name, crc32, compressedSize, size }: Omit<ZipEntry, 'offset'>): Uint8Array {
  return new Fields(LOCAL_HEADER_BYTES + name.length)
    .u32(LOCAL)
    .u16(VERSION, 0, DEFLATED, 0, DATE)
    .u32(crc32, compressedSize, size)
    .u16(name.length, 0)
    .ascii(name).bytes;
}

/** The record of an entry in the central directory. */
export function centralRecord({ name, crc32, compressedSize, size, offset }: ZipEntry): Uint8Array {
  const isFar = offset >= MAX_32;
  const version = isFar ? VERSION_ZIP64 : VERSION;
  const record = new Fields(CENTRAL_RECORD_BYTES + name.length + (isFar ? 12 : 0))
    .u32(CENTRAL)
    .u16(version, version, 0, DEFLATED, 0, DATE)
    .u32(crc32, compressedSize, size)
    .u16(name.length, isFar ? 12 : 0, 0, 0, 0)
    .u32(0, isFar ? MAX_32 : offset)
    .ascii(name);
  return (isFar ? record.u16(1, 8).u64(offset) : record).bytes;
}

export interface ZipEnd {
  readonly entries: number;
  readonly directoryOffset: number;
  readonly directoryBytes: number;
}

const isFarEnd = ({ entries, directoryOffset, directoryBytes }: ZipEnd): boolean =>
  entries >= MAX_16 || directoryOffset >= MAX_32 || directoryBytes >= MAX_32;

/** Everything behind the central directory, up to the comment. */
export function endRecords(end: ZipEnd, commentLength: number): Uint8Array {
  const { entries, directoryOffset, directoryBytes } = end;
  const isFar = isFarEnd(end);
  const fields = new Fields((isFar ? ZIP64_END_BYTES + ZIP64_LOCATOR_BYTES : 0) + END_BYTES);
  if (isFar) {
    fields
      .u32(ZIP64_END)
      .u64(ZIP64_END_BYTES - 12)
      .u16(VERSION_ZIP64, VERSION_ZIP64)
      .u32(0, 0)
      .u64(entries, entries, directoryBytes, directoryOffset)
      .u32(ZIP64_LOCATOR, 0)
      .u64(directoryOffset + directoryBytes)
      .u32(1);
  }
  const count = Math.min(entries, MAX_16);
  return fields
    .u32(END)
    .u16(0, 0, count, count)
    .u32(Math.min(directoryBytes, MAX_32), Math.min(directoryOffset, MAX_32))
    .u16(commentLength).bytes;
}

/** Reads the numbers of `endRecords`; they may be anything. @param tail ends where the comment begins, 98 bytes if there are so many */
export function readEnd(tail: Uint8Array): ZipEnd | undefined {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const at = tail.byteLength - END_BYTES;
  if (at < 0 || view.getUint32(at, true) !== END) return undefined;
  const far = at - ZIP64_LOCATOR_BYTES - ZIP64_END_BYTES;
  if (far >= 0 && view.getUint32(far, true) === ZIP64_END) {
    return {
      entries: Number(view.getBigUint64(far + 32, true)),
      directoryBytes: Number(view.getBigUint64(far + 40, true)),
      directoryOffset: Number(view.getBigUint64(far + 48, true)),
    };
  }
  return {
    entries: view.getUint16(at + 10, true),
    directoryBytes: view.getUint32(at + 12, true),
    directoryOffset: view.getUint32(at + 16, true),
  };
}

/** Reads the records of a central directory; they may say anything. @returns undefined when the bytes are none */
export function readCentralDirectory(bytes: Uint8Array, entries: number): ZipEntry[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: ZipEntry[] = [];
  let at = 0;
  while (at + CENTRAL_RECORD_BYTES <= bytes.length && found.length < entries) {
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const end = at + CENTRAL_RECORD_BYTES + nameLength + extraLength;
    if (end > bytes.length) return undefined;
    const name = String.fromCharCode(
      ...bytes.subarray(at + CENTRAL_RECORD_BYTES, at + CENTRAL_RECORD_BYTES + nameLength),
    );
    const near = view.getUint32(at + 42, true);
    found.push({
      name,
      crc32: view.getUint32(at + 16, true),
      compressedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: near === MAX_32 && extraLength === 12 ? Number(view.getBigUint64(end - 8, true)) : near,
    });
    at = end;
  }
  return at === bytes.length && found.length === entries ? found : undefined;
}
