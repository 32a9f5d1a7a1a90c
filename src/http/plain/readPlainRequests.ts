import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { PlainConnection, type PlainConnectionOptions } from './plainConnection.ts';

const SWEEP_MS = 5_000;

/**
 * Reads plain requests instead of Node's parser, which would take a fifth of the CPU time of a request
 * (docs/decisions/0018-http-fast-path.md). Hands a connection with any other request over to Node's own 'connection' listeners.
 * @returns the connections that have received only plain requests
 */
export function readPlainRequests(
  server: Server,
  options: Omit<PlainConnectionOptions, 'handOver'>,
): ReadonlyMap<Socket, PlainConnection> {
  const nodeListeners = server.listeners('connection');
  server.removeAllListeners('connection');
  const connections = new Map<Socket, PlainConnection>();
  const handOver = (socket: Socket) => {
    connections.delete(socket);
    for (const listener of nodeListeners) listener.call(server, socket);
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
