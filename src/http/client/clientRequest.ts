import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PlainRequest } from '../plain/plainRequest.ts';
import type { PlainResponse } from '../plain/plainResponse.ts';

/** A request to the proxy, parsed by Node or by `plain/`. */
export type ClientRequest = IncomingMessage | PlainRequest;

/** The response to it. */
export type ClientResponse = ServerResponse | PlainResponse;

const DISCONNECT_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECANCELED',
]);

/** Whether an error means that the client closed the connection: then nothing can be sent, and nothing needs a report. */
export const isClientDisconnect = ({ code }: NodeJS.ErrnoException): boolean => DISCONNECT_CODES.has(code ?? '');
