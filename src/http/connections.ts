import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { ClientResponse } from './client/clientRequest.ts';

const SWEEP_MS = 20;

export interface Connections {
  readonly sockets: ReadonlySet<Socket>;
  /** Stops accepting connections and closes idle ones; open requests continue. */
  stopListening(): void;
  /** Resolves when all connections have ended; those still open after `withinMs` are cut. */
  closed(withinMs: number): Promise<void>;
}

/**
 * Tracks a server's connections and closes them in order. `server.close` would not do: it treats connections as idle, and
 * resets them, whose response is written but not yet read.
 */
export function trackConnections(
  server: Server,
  latestResponse: (socket: Socket) => ClientResponse | undefined,
): Connections {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const isIdle = (socket: Socket) => {
    const response = latestResponse(socket);
    return !response || response.writableFinished || response.destroyed;
  };
  const endIdle = () => {
    for (const socket of sockets) if (isIdle(socket)) socket.end();
  };
  let whenClosed: Promise<void> | undefined;
  const stopListening = () => {
    whenClosed ??= new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    endIdle();
  };
  return {
    sockets,
    stopListening,
    async closed(withinMs) {
      stopListening();
      // Connections become idle one by one, as clients read their last responses.
      const sweep = setInterval(endIdle, SWEEP_MS);
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, withinMs);
      await whenClosed;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}
