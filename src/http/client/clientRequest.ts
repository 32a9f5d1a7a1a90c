import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PlainRequest } from '../plain/plainRequest.ts';
import type { PlainResponse } from '../plain/plainResponse.ts';

/** A request to the proxy, parsed by Node or by `plain/`. */
export type ClientRequest = IncomingMessage | PlainRequest;

/** The response to it. */
export type ClientResponse = ServerResponse | PlainResponse;
