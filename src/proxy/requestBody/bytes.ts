/** Up to this length a loop is cheaper than the call of a native comparison. */
const MAX_LOOP_BYTES = 64;

/** @returns whether the bytes `from` to `length` of `bytes` are at `at + from` in `raw` */
export function hasBytesAt(raw: Buffer, at: number, bytes: Buffer, length: number, from = 0): boolean {
  if (at + length > raw.length) return false;
  if (length - from > MAX_LOOP_BYTES) return raw.compare(bytes, from, length, at + from, at + length) === 0;
  for (let index = from; index < length; index++) if (raw[at + index] !== bytes[index]) return false;
  return true;
}

/** @returns whether these few bytes are at `at` in `raw` */
export function startsWithBytes(raw: Buffer, at: number, bytes: Buffer): boolean {
  if (at + bytes.length > raw.length) return false;
  for (let index = 0; index < bytes.length; index++) if (raw[at + index] !== bytes[index]) return false;
  return true;
}

/** @returns the number of bytes that `pieces` keep alive; a slice of `raw` keeps all of `raw` alive */
export function retainedBytes(pieces: readonly Buffer[], raw: Buffer): number {
  let ownBytes = 0;
  let hasSlice = false;
  for (const piece of pieces) {
    if (piece.buffer === raw.buffer) hasSlice = true;
    else ownBytes += piece.length;
  }
  return hasSlice ? raw.length + ownBytes : ownBytes;
}

/** Copies bytes so that the copy keeps nothing else alive: neither the request nor a slab of Node's buffer pool. */
export function copyBytes(raw: Buffer, start: number, end: number, capacity: number = end - start): Buffer {
  const copy = Buffer.allocUnsafeSlow(capacity);
  raw.copy(copy, 0, start, end);
  return copy;
}

/** Copies a string, because a slice in V8 keeps the string alive that it was sliced from. Preserves lone surrogates. */
export const copyString = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
