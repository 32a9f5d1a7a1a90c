/** Below this a loop is cheaper than the call of a native comparison. */
const SHORT = 64;

/** @returns whether `raw` holds the first `length` bytes of `bytes` from `from` on, at the position `at + from` */
export function holdsBytes(raw: Buffer, at: number, bytes: Buffer, length: number, from = 0): boolean {
  if (at + length > raw.length) return false;
  if (length - from > SHORT) return raw.compare(bytes, from, length, at + from, at + length) === 0;
  for (let index = from; index < length; index++) if (raw[at + index] !== bytes[index]) return false;
  return true;
}

/** How many bytes pieces keep alive, some of which may be cut from `raw`: it stays as a whole then. */
export function bytesKeptBy(pieces: readonly Buffer[], raw: Buffer): number {
  let own = 0;
  let isCut = false;
  for (const piece of pieces) {
    if (piece.buffer === raw.buffer) isCut = true;
    else own += piece.length;
  }
  return isCut ? raw.length + own : own;
}

/** A copy that keeps nothing else alive: neither the request it was cut from nor a slab of Node's buffer pool. */
export function ownBytes(raw: Buffer, start: number, end: number, capacity: number = end - start): Buffer {
  const own = Buffer.allocUnsafeSlow(capacity);
  raw.copy(own, 0, start, end);
  return own;
}

/** A copy of a string: a slice in V8 would keep the whole alive that it was cut from. Exact for lone surrogates too. */
export const ownString = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
