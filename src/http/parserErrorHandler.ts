import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { parserErrorResponse, respondAndClose } from './wire/protocolError.ts';

/**
 * Responds to bytes that Node's parser rejects, which no request handler gets to see. Sends a JSON error like for all bad input
 * (docs/decisions/0002-promises.md#bad-input-gets-a-json-error).
 */
export function createParserErrorHandler(latestResponse: (socket: Socket) => ServerResponse | undefined) {
  // After its first error, the parser reports one for every further read.
  const reported = new WeakSet<Socket>();
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET') socket.destroy();
    if (socket.destroyed || reported.has(socket)) return;
    reported.add(socket);
    const response = latestResponse(socket);
    const isOpen = response !== undefined && !response.writableFinished;
    // A complete request before the invalid bytes still gets its response; then the connection closes.
    if (isOpen && (response.req.complete || response.headersSent)) {
      response.once('finish', () => socket.destroySoon());
    } else if (socket.writable) respondAndClose(socket, parserErrorResponse(error));
    else socket.destroy();
  };
}
