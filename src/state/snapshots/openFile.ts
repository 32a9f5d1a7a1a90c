import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The bytes of a snapshot. */
export interface FileBytes {
  readonly size: number;
  /** Fewer bytes where the file ends; they belong to the caller. @throws what reading throws */
  read(offset: number, length: number): Buffer;
  /** The line at an offset, without its end; undefined when it does not end in the file. */
  lineAt(offset: number): Buffer | undefined;
}

const LINE_BREAK = 0x0a;
const CHUNK = 65_536;

/** An open file, which stays readable after it was removed. */
export class OpenFile implements FileBytes {
  readonly #descriptor: number;
  readonly size: number;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'r');
    this.size = fstatSync(this.#descriptor).size;
  }

  read(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.size - offset)));
    let done = 0;
    for (let count = -1; done < bytes.length && count !== 0; done += count)
      count = readSync(this.#descriptor, bytes, done, bytes.length - done, offset + done);
    return bytes.subarray(0, done);
  }

  lineAt(offset: number): Buffer | undefined {
    for (let length = CHUNK; ; length *= 2) {
      const bytes = this.read(offset, length);
      const end = bytes.indexOf(LINE_BREAK);
      if (end >= 0) return bytes.subarray(0, end);
      if (bytes.length < length) return undefined;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
