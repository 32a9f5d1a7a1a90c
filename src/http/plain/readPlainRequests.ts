import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { PlainConnection, type PlainOptions } from './plainConnection.ts';

const SWEEP_MS = 5_000;

/**
 * Has plain requests read by `PlainConnection`, before Node's own parser sees a connection: that takes a fifth of the
 * processor time that a request costs the service (bench/README.md, "Why plain requests are read here"). A connection with
 * any other request goes to the parser, in the way that Node documents for sockets from elsewhere.
 * @returns the connections that have had none but plain requests
 */
export function readPlainRequests(
  server: Server,
  options: Omit<PlainOptions, 'handOver'>,
): ReadonlyMap<Socket, PlainConnection> {
  const nodes = server.listeners('connection');
  server.removeAllListeners('connection');
  const connections = new Map<Socket, PlainConnection>();
  const handOver = (socket: Socket) => {
    connections.delete(socket);
    for (const listener of nodes) listener.call(server, socket);
  };
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new PlainConnection(socket, { ...options, handOver }));
    socket.once('close', () => connections.delete(socket));
  });
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const connection of connections.values()) connection.sweep(now);
  }, SWEEP_MS).unref();
  server.once('close', () => clearInterval(sweep));
  return connections;
}
