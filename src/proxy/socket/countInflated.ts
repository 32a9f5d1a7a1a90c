import type { WebSocket } from 'ws';

/** Unpacks the messages of one socket. The types of `ws` do not have it. */
interface Inflater {
  decompress(data: Buffer, isLast: boolean, callback: (error: Error | null, inflated?: Buffer) => void): void;
}

const NOTHING = Buffer.alloc(0);

/**
 * Counts what the messages of a socket unpack to, piece by piece: `ws` says only what a complete message has become.
 * @param keep called with the bytes of each piece; false discards it
 * @throws Error when messages are compressed, and this version of `ws` does not show what unpacks them
 */
export function countInflated(socket: WebSocket, keep: (bytes: number) => boolean): void {
  if (socket.extensions === '') return;
  const { _extensions: extensions } = socket as unknown as { readonly _extensions?: Record<string, Inflater> };
  const inflater = extensions?.['permessage-deflate'];
  if (!inflater) throw new Error('this version of ws does not show what unpacks the messages of a socket');
  const decompress = inflater.decompress.bind(inflater);
  inflater.decompress = (data, isLast, callback) =>
    decompress(data, isLast, (error, inflated) =>
      callback(error, inflated && !keep(inflated.length) ? NOTHING : inflated),
    );
}
