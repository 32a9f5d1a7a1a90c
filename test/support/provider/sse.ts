import type { Fragmentation, StreamEvent } from './responseScript.ts';

/** An event as the provider frames it. */
export function frame(event: StreamEvent, { crlf = false }: Fragmentation = {}): Buffer {
  const eol = crlf ? '\r\n' : '\n';
  return Buffer.from(`event: ${event.type}${eol}data: ${JSON.stringify(event)}${eol}${eol}`);
}

/** Splits a stream of bytes into writes. A piece may span two events. */
export function createSplitter({ splitEveryBytes, splitCharacters, oneByteAtATime }: Fragmentation) {
  const size = oneByteAtATime ? 1 : (splitEveryBytes ?? Number.POSITIVE_INFINITY);
  let pending: Buffer = Buffer.alloc(0);

  const endOfPiece = (bytes: Buffer): number | undefined => {
    const limit = Math.min(size, bytes.length);
    if (splitCharacters) for (let at = 0; at < limit; at++) if (startsMultiByte(bytes[at])) return at + 1;
    return bytes.length >= size ? size : undefined;
  };

  return {
    push(bytes: Buffer): Buffer[] {
      pending = pending.length === 0 ? bytes : Buffer.concat([pending, bytes]);
      const pieces: Buffer[] = [];
      for (let end = endOfPiece(pending); end !== undefined; end = endOfPiece(pending)) {
        pieces.push(pending.subarray(0, end));
        pending = pending.subarray(end);
      }
      return pieces;
    },
    /** The remaining bytes, before a pause or the end. */
    flush(): Buffer[] {
      const last = pending;
      pending = Buffer.alloc(0);
      return last.length === 0 ? [] : [last];
    },
  };
}

const startsMultiByte = (byte: number | undefined): boolean => byte !== undefined && byte >= 0xc0;
