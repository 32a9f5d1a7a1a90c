import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ClosableConnection, DescriptorBudget } from '../lib/descriptors/descriptorBudget.ts';
import type { ClientResponse } from './client/clientRequest.ts';
import { PlainResponse } from './plain/plainResponse.ts';

export type ConnectionDescriptors = Pick<DescriptorBudget, 'count' | 'mayAccept' | 'mayWait'>;

export interface LimitConnectionsOptions {
  /** The open connections, oldest first. */
  readonly sockets: Set<Socket>;
  readonly latestResponse: (socket: Socket) => ClientResponse | undefined;
  readonly descriptors: ConnectionDescriptors;
  /** Responds on a new connection that it cannot be served, and closes it. @param mayWait until the client has read it */
  readonly refuse: (socket: Socket, mayWait: boolean) => void;
}

/** A new connection on which no request has arrived for so long is idle. */
const SILENT_MS = 1_000;

/**
 * Accepts connections only while there are file descriptors for them and for what their requests need. Without this the system
 * would close every new connection without a word, also those to management. A new one takes the place of an idle one.
 */
export function limitConnections(
  server: Server,
  { sockets, latestResponse, descriptors, refuse }: LimitConnectionsOptions,
): void {
  /** Connections that had no request when they were last looked at, with the time of their begin. */
  const waiting = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    waiting.set(socket, performance.now());
    socket.once('close', () => waiting.delete(socket));
    if (descriptors.mayAccept(waiting.size - 1)) return;
    removeServed();
    if (descriptors.mayAccept(waiting.size - 1)) return;
    waiting.delete(socket);
    refuse(socket, descriptors.mayWait(waiting.size));
  });
  descriptors.count({ open: () => sockets.size, idle });

  function removeServed(): void {
    for (const socket of waiting.keys()) if (latestResponse(socket)) waiting.delete(socket);
  }

  /** Connections without a request in progress: first those of clients of models, which connect again by themselves. */
  function idle(): ClosableConnection[] {
    const silentSince = performance.now() - SILENT_MS;
    const isIdle = (socket: Socket): boolean => {
      const response = latestResponse(socket);
      return response ? response.writableFinished : (waiting.get(socket) ?? 0) < silentSince;
    };
    const close = (socket: Socket): void => {
      socket.destroy();
      sockets.delete(socket);
    };
    const isOfModels = (socket: Socket): boolean => latestResponse(socket) instanceof PlainResponse;
    const all = [...sockets].filter(isIdle);
    const inOrder = [...all.filter(isOfModels), ...all.filter((socket) => !isOfModels(socket))];
    return inOrder.map((socket) => ({ close: () => close(socket) }));
  }
}
