import type { Socket } from 'node:net';

/** How a socket's `_write` learns of bytes: with the encoding of a text, Node takes the chunk for one and aborts. */
const BYTES = 'buffer' as BufferEncoding;

/**
 * Resets a connection when exactly this many more bytes were written to it, wherever in a frame that falls. What is written in one turn
 * leaves in one packet: the congestion window of a new connection has ten, and a reset discards those that wait for it.
 */
export function cutAfter(connection: Socket, bytes: number, onCut: () => void): void {
  const write = connection._write.bind(connection);
  let remaining = bytes;
  connection.cork();
  setImmediate(() => connection.uncork());
  connection._writev = (chunks, callback) => {
    const bytes = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk,
    );
    connection._write(Buffer.concat(bytes), BYTES, callback);
  };
  connection._write = (chunk: Buffer | string, encoding, callback) => {
    const data = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    if (data.length <= remaining) {
      remaining -= data.length;
      return write(data, BYTES, callback);
    }
    const last = data.subarray(0, remaining);
    remaining = 0;
    const cut = (): void => {
      onCut();
      connection.resetAndDestroy();
    };
    if (last.length === 0) cut();
    else write(last, BYTES, cut);
  };
}
