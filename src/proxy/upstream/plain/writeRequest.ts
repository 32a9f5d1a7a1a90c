import type { Socket } from 'node:net';
import { lengthOf } from '../upstreamPool.ts';

const SCRATCH_BYTES = 131_072;
let scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** Writes a request whose body is complete; up to 128 KiB with a single system call and no allocation. */
export function writeComplete(socket: Socket, head: string, pieces: readonly Buffer[]): void {
  const length = head.length + lengthOf(pieces);
  if (length > SCRATCH_BYTES) {
    socket.cork();
    socket.write(head, 'latin1');
    for (const piece of pieces) socket.write(piece);
    socket.uncork();
    return;
  }
  let offset = scratch.write(head, 'latin1');
  for (const piece of pieces) offset += piece.copy(scratch, offset);
  socket.write(scratch.subarray(0, length));
  // Unless the system accepted all bytes, the socket still references this memory.
  if (socket.writableLength > 0) scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
}

/**
 * Writes a request in chunks as its body arrives, no faster than the connection accepts it. Resolves when the socket has
 * all bytes or is closed.
 * @throws what the body throws
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
    if (!hasRoom) await drainedOrClosed(socket);
  }
  if (!socket.destroyed) socket.write('0\r\n\r\n', 'latin1');
}

function drainedOrClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      socket.off('drain', settle).off('close', settle);
      resolve();
    };
    socket.on('drain', settle).on('close', settle);
  });
}
