import type { Socket } from 'node:net';

/** Pieces of what is known whole, or what is sent on while it arrives. */
export type RequestBody = readonly Buffer[] | AsyncIterable<Buffer>;

export const isWhole = (body: RequestBody): body is readonly Buffer[] => Array.isArray(body);

export function lengthOf(pieces: readonly Buffer[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}

const SCRATCH_BYTES = 131_072;
let scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** Writes a request whose body is known; up to 128 KiB with a single call of the system and nothing allocated. */
export function writeWhole(socket: Socket, head: string, pieces: readonly Buffer[]): void {
  const length = head.length + lengthOf(pieces);
  if (length > SCRATCH_BYTES) {
    socket.cork();
    socket.write(head, 'latin1');
    for (const piece of pieces) socket.write(piece);
    socket.uncork();
    return;
  }
  let at = scratch.write(head, 'latin1');
  for (const piece of pieces) at += piece.copy(scratch, at);
  socket.write(scratch.subarray(0, length));
  // The system took it, or the socket holds on to these bytes: then they are its own from now on.
  if (socket.writableLength > 0) scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
}

/**
 * Writes a request in chunks as its body comes, no faster than the connection takes it. Resolves when all is handed over,
 * or the connection is gone. @throws what the body throws
 */
export async function writeStreamed(socket: Socket, head: string, body: AsyncIterable<Buffer>): Promise<void> {
  socket.write(head, 'latin1');
  for await (const piece of body) {
    if (socket.destroyed) return;
    if (piece.length === 0) continue;
    socket.cork();
    socket.write(`${piece.length.toString(16)}\r\n`, 'latin1');
    socket.write(piece);
    const hasRoom = socket.write('\r\n', 'latin1');
    socket.uncork();
    if (!hasRoom) await drained(socket);
  }
  if (!socket.destroyed) socket.write('0\r\n\r\n', 'latin1');
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      socket.off('drain', goOn).off('close', goOn);
      resolve();
    };
    socket.on('drain', goOn).on('close', goOn);
  });
}
