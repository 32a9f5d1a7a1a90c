import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PlainRequest } from '../plain/plainRequest.ts';
import type { PlainResponse } from '../plain/plainResponse.ts';

/** A request for the proxy: read by Node, or here when it is in its plainest form. */
export type ClientRequest = IncomingMessage | PlainRequest;

/** The answer to it. */
export type ClientResponse = ServerResponse | PlainResponse;
