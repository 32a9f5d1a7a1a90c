import type { Socket } from 'node:net';
import type { ClientResponse } from './client/clientRequest.ts';

export interface UnreadResponsesOptions {
  readonly sockets: ReadonlySet<Socket>;
  readonly latestResponse: (socket: Socket) => ClientResponse | undefined;
  /** Maximum time during which the client reads nothing. */
  readonly unreadMs: number;
}

/**
 * Closes connections whose client stops reading a complete response. No handler watches a response once it is written, and
 * Node would buffer it indefinitely. Polls all connections, because a timer for each response would cost more.
 * @returns the timer of the polls
 */
export function limitUnreadResponses({ sockets, latestResponse, unreadMs }: UnreadResponsesOptions): NodeJS.Timeout {
  const limited = new WeakSet<ClientResponse>();
  const poll = () => {
    for (const socket of sockets) {
      const response = latestResponse(socket);
      if (!response?.writableEnded || response.writableFinished || limited.has(response)) continue;
      limited.add(response);
      // Node restarts the timeout with every byte that the client reads, and replaces it by the keep-alive timeout at the end.
      socket.setTimeout(unreadMs);
    }
  };
  return setInterval(poll, unreadMs / 4).unref();
}
