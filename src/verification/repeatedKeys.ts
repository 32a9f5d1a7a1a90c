import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyText } from './keys64.ts';

/** Numbers of a key. */
const WIDTH = 2;
const BYTES = WIDTH * Uint32Array.BYTES_PER_ELEMENT;
const FIRST_KEYS = 1_024;
/** Of the keys in memory: 8 MB. */
const MAX_KEYS = 2 ** 20;
/** Keys are compared by parts that have the same first bits. */
const PARTS = 256;
const PART_SHIFT = 24;

export interface RepeatedKeysOptions {
  /** Keys in memory; with more, they are written to a file of 8 bytes for each. */
  readonly maxKeys?: number;
  /** Where the file is made. It has no name, so nothing of it remains, however the process ends. */
  readonly folder?: string;
}

/** Sorted keys in the file. */
interface Run {
  /** In bytes. */
  readonly at: number;
  /** Where each part begins, in keys; and the end. */
  readonly starts: readonly number[];
}

/**
 * Finds 64-bit keys that were added twice, in memory that does not grow with their number. Two texts may have the same key: what seems to
 * be there twice must be compared.
 */
export class RepeatedKeys {
  readonly #maxKeys: number;
  readonly #folder: string;
  readonly #runs: Run[] = [];
  #keys = new Uint32Array(FIRST_KEYS * WIDTH);
  /** In numbers. */
  #length = 0;
  #file: number | undefined;
  #fileEnd = 0;

  constructor({ maxKeys = MAX_KEYS, folder = tmpdir() }: RepeatedKeysOptions = {}) {
    this.#maxKeys = maxKeys;
    this.#folder = folder;
  }

  /** @param keys two numbers each, as `Keys64` makes them @throws the error of writing the file */
  add(keys: Uint32Array): void {
    for (let from = 0; from < keys.length; ) {
      if (this.#length === this.#maxKeys * WIDTH) this.#writeRun();
      const count = Math.min(keys.length - from, this.#maxKeys * WIDTH - this.#length);
      this.#reserve(this.#length + count);
      this.#keys.set(keys.subarray(from, from + count), this.#length);
      this.#length += count;
      from += count;
    }
  }

  /** The first keys that were added more than once, as text; no order. */
  find(limit: number): Set<string> {
    const found = new Set<string>();
    const last = sort(this.#keys.subarray(0, this.#length));
    if (this.#runs.length === 0) {
      addRepeated(last, found, limit);
      return found;
    }
    const starts = startsOfParts(last);
    for (let part = 0; part < PARTS && found.size < limit; part++) {
      const inMemory = last.subarray((starts[part] as number) * WIDTH, (starts[part + 1] as number) * WIDTH);
      addRepeated(sort(this.#readPart(part, inMemory)), found, limit);
    }
    return found;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #reserve(length: number): void {
    if (length <= this.#keys.length) return;
    const larger = new Uint32Array(Math.min(this.#maxKeys * WIDTH, Math.max(length, 2 * this.#keys.length)));
    larger.set(this.#keys.subarray(0, this.#length));
    this.#keys = larger;
  }

  #writeRun(): void {
    const run = sort(this.#keys.subarray(0, this.#length));
    this.#file ??= openNameless(this.#folder);
    const bytes = new Uint8Array(run.buffer, run.byteOffset, run.byteLength);
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#fileEnd + done);
    this.#runs.push({ at: this.#fileEnd, starts: startsOfParts(run) });
    this.#fileEnd += bytes.length;
    this.#length = 0;
  }

  /** All keys of a part, unsorted. */
  #readPart(part: number, inMemory: Uint32Array): Uint32Array {
    const slices = this.#runs.map(({ at, starts }) => {
      const [from, to] = [starts[part] as number, starts[part + 1] as number];
      return { at: at + from * BYTES, length: (to - from) * BYTES };
    });
    const all = new Uint8Array(slices.reduce((sum, { length }) => sum + length, inMemory.byteLength));
    let filled = 0;
    for (const { at, length } of slices) {
      for (let done = 0; done < length; ) {
        const read = readSync(this.#file as number, all, filled + done, length - done, at + done);
        if (read === 0) throw new Error('The temporary file of keys became shorter.');
        done += read;
      }
      filled += length;
    }
    const keys = new Uint32Array(all.buffer);
    keys.set(inMemory, filled / Uint32Array.BYTES_PER_ELEMENT);
    return keys;
  }
}

/** Opens a file that is gone when it is closed. */
function openNameless(folder: string): number {
  const own = mkdtempSync(join(folder, 'svc-verify-'));
  try {
    return openSync(join(own, 'keys'), 'wx+', 0o600);
  } finally {
    rmSync(own, { recursive: true });
  }
}

/** Sorts keys in place, as numbers of 64 bits whose high half is the second number. */
function sort(keys: Uint32Array): Uint32Array {
  new BigUint64Array(keys.buffer, keys.byteOffset, keys.length / WIDTH).sort();
  return keys;
}

/** Where the keys of each part begin, and the end. */
function startsOfParts(sorted: Uint32Array): number[] {
  const count = sorted.length / WIDTH;
  const starts: number[] = [];
  for (let part = 0, from = 0; part <= PARTS; part++) {
    let to = count;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((sorted[middle * WIDTH + 1] as number) >>> PART_SHIFT < part) from = middle + 1;
      else to = middle;
    }
    starts.push(from);
  }
  return starts;
}

function addRepeated(sorted: Uint32Array, found: Set<string>, limit: number): void {
  for (let at = WIDTH; at < sorted.length && found.size < limit; at += WIDTH) {
    const [high, low] = [sorted[at] as number, sorted[at + 1] as number];
    if (low === sorted[at - 1] && high === sorted[at - WIDTH]) found.add(keyText(high, low));
  }
}
