import type { Socket } from 'node:net';
import type { ClientResponse } from './client/client.ts';

export interface UnreadResponsesOptions {
  readonly connections: ReadonlySet<Socket>;
  /** The latest answer of a connection. */
  readonly answerOn: (connection: Socket) => ClientResponse | undefined;
  /** So long a client may read nothing. */
  readonly patienceMs: number;
}

/**
 * Ends connections whose client does not read its answer: once an answer is written nobody else looks after it, and Node
 * would keep the rest of it for as long as the client likes. All are looked at from time to time, since a timer for each
 * answer would cost more than it tells.
 */
export function limitUnreadResponses({ connections, answerOn, patienceMs }: UnreadResponsesOptions): NodeJS.Timeout {
  const limited = new WeakSet<ClientResponse>();
  const look = () => {
    for (const connection of connections) {
      const answer = answerOn(connection);
      if (!answer?.writableEnded || answer.writableFinished || limited.has(answer)) continue;
      limited.add(answer);
      // Node begins anew whenever a part was read, and takes its own time-out for idle connections after the end.
      connection.setTimeout(patienceMs);
    }
  };
  return setInterval(look, patienceMs / 4).unref();
}
