import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { remedyFor } from '../dataFolder/fileErrors.ts';
import { type FileRotation, SinkFailed, type SinkTarget } from './sink.ts';

const NEWLINE = 0x0a;
const TAIL_BYTES = 65_536;

/**
 * Appends lines to a file and syncs it. A full file becomes `<path>.1`, that one `<path>.2`, and so on; the oldest is removed.
 * When another program has moved the file away, a new one is created.
 */
export class FileTarget implements SinkTarget {
  readonly #path: string;
  readonly #rotation: FileRotation;
  #file: number | undefined;

  constructor(path: string, rotation: FileRotation) {
    this.#path = path;
    this.#rotation = rotation;
  }

  async deliver(lines: readonly string[]): Promise<void> {
    try {
      this.#requireOwnFile();
      if (fstatSync(this.#opened()).size >= this.#rotation.maxBytes) this.#rotate();
      const file = this.#opened();
      const { size } = fstatSync(file);
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      try {
        for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
        fdatasyncSync(file);
      } catch (error) {
        // Half a line would stay when the disk is full. What cannot be taken back now is when the file is opened again.
        try {
          ftruncateSync(file, size);
        } finally {
          this.close();
        }
        throw error;
      }
    } catch (error) {
      throw error instanceof SinkFailed ? error : cannotWrite(this.#path, error as Error);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #opened(): number {
    this.#file ??= openForLines(this.#path);
    return this.#file;
  }

  /** Closes the file if it is not the one at the path any more. */
  #requireOwnFile(): void {
    if (this.#file === undefined) return;
    const { ino } = fstatSync(this.#file);
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino !== ino) this.close();
  }

  #rotate(): void {
    this.close();
    const { kept } = this.#rotation;
    rmSync(`${this.#path}.${kept}`, { force: true });
    for (let number = kept - 1; number >= 0; number -= 1) {
      const from = number === 0 ? this.#path : `${this.#path}.${number}`;
      if (kept === 0) rmSync(from);
      else if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${this.#path}.${number + 1}`);
    }
    if (kept === 0) rmSync(this.#path, { force: true });
  }
}

/** Opens a file for appending; what a write that was cut off left behind the last whole line is removed. */
function openForLines(path: string): number {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o640);
  try {
    if (!fstatSync(file).isFile()) {
      throw new SinkFailed(`${path} is not a file.`, 'Name a file in SVC_SINK_FILE.');
    }
    ftruncateSync(file, endOfLines(file));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The number of bytes up to the last line that is complete. */
function endOfLines(file: number): number {
  const buffer = Buffer.alloc(TAIL_BYTES);
  for (let end = fstatSync(file).size; end > 0; ) {
    const start = Math.max(0, end - TAIL_BYTES);
    const length = readSync(file, buffer, 0, end - start, start);
    const at = buffer.subarray(0, length).lastIndexOf(NEWLINE);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

function cannotWrite(path: string, error: Error): SinkFailed {
  const remedy = remedyFor(error, 'Check SVC_SINK_FILE, the folder and its permissions.').replace(
    ', then start svc again',
    '',
  );
  return new SinkFailed(`${path} cannot be written: ${error.message}.`, remedy);
}
