import type { Socket } from 'node:net';

/** Resets a connection when exactly this many more bytes were written to it, wherever in a frame that falls. */
export function cutAfter(connection: Socket, bytes: number, onCut: () => void): void {
  const write = connection._write.bind(connection);
  let remaining = bytes;
  connection._writev = undefined as never; // one chunk at a time, so that the cut is exact
  connection._write = (chunk: Buffer | string, encoding, callback) => {
    const data = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    if (data.length <= remaining) {
      remaining -= data.length;
      return write(data, encoding, callback);
    }
    const last = data.subarray(0, remaining);
    remaining = 0;
    const cut = (): void => {
      onCut();
      connection.resetAndDestroy();
    };
    if (last.length === 0) cut();
    else write(last, encoding, cut);
  };
}
