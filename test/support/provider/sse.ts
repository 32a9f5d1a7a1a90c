import type { StreamEvent, Wire } from './responseScript.ts';

/** An event as the provider frames it. */
export function frame(event: StreamEvent, { crlf = false }: Wire = {}): Buffer {
  const eol = crlf ? '\r\n' : '\n';
  return Buffer.from(`event: ${event.type}${eol}data: ${JSON.stringify(event)}${eol}${eol}`);
}

/** Cuts a stream of bytes into the writes that a wire asks for. A piece may well span two events. */
export function createCutter({ splitEveryBytes, cutMultiByte, oneByteAtATime }: Wire) {
  const size = oneByteAtATime ? 1 : (splitEveryBytes ?? Number.POSITIVE_INFINITY);
  let rest: Buffer = Buffer.alloc(0);

  const endOfPiece = (bytes: Buffer): number | undefined => {
    const limit = Math.min(size, bytes.length);
    if (cutMultiByte) for (let at = 0; at < limit; at++) if (startsMultiByte(bytes[at])) return at + 1;
    return bytes.length >= size ? size : undefined;
  };

  return {
    push(bytes: Buffer): Buffer[] {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const pieces: Buffer[] = [];
      for (let end = endOfPiece(rest); end !== undefined; end = endOfPiece(rest)) {
        pieces.push(rest.subarray(0, end));
        rest = rest.subarray(end);
      }
      return pieces;
    },
    /** What is left over, for a pause or the end. */
    flush(): Buffer[] {
      const last = rest;
      rest = Buffer.alloc(0);
      return last.length === 0 ? [] : [last];
    },
  };
}

const startsMultiByte = (byte: number | undefined): boolean => byte !== undefined && byte >= 0xc0;
