import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { type LimitConnectionsOptions, limitConnections } from './limitConnections.ts';

const SWEEP_MS = 20;

export interface TrackConnectionsOptions extends Pick<LimitConnectionsOptions, 'latestResponse' | 'refuse'> {
  /** Undefined: there is no limit. */
  readonly descriptors?: LimitConnectionsOptions['descriptors'] | undefined;
}

/** The open connections of a server. */
export interface Connections {
  readonly sockets: ReadonlySet<Socket>;
  /** Stops accepting connections and closes idle ones; open requests continue. */
  stopListening(): void;
  /** Resolves when all connections have ended; closes those still open after `timeoutMs` at once. */
  closed(timeoutMs: number): Promise<void>;
}

/**
 * Tracks a server's connections and closes each when its client has read the response. `server.close` resets a connection as
 * soon as its response is written, so that the client could lose the response.
 */
export function trackConnections(
  server: Server,
  { latestResponse, descriptors, refuse }: TrackConnectionsOptions,
): Connections {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  if (descriptors) limitConnections(server, { sockets, latestResponse, descriptors, refuse });
  const isIdle = (socket: Socket) => {
    const response = latestResponse(socket);
    return !response || response.writableFinished || response.destroyed;
  };
  const endIdle = () => {
    for (const socket of sockets) if (isIdle(socket)) socket.end();
  };
  let serverClosed: Promise<void> | undefined;
  const stopListening = () => {
    serverClosed ??= new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    endIdle();
  };
  return {
    sockets,
    stopListening,
    async closed(timeoutMs) {
      stopListening();
      // Connections become idle one by one, as clients read their last responses.
      const sweep = setInterval(endIdle, SWEEP_MS);
      const timeout = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, timeoutMs);
      await serverClosed;
      clearInterval(sweep);
      clearTimeout(timeout);
    },
  };
}
