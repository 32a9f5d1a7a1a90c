import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { type Got, RequestError } from 'got';

/**
 * How this service talks to the provider's control plane: under its own name, never to where a redirect points, and
 * with every status as an answer to be read rather than an error.
 */
export const providerClient: Got = got.extend({
  headers: { 'user-agent': 'svc', accept: 'application/json' },
  followRedirect: false,
  throwHttpErrors: false,
  retry: { limit: 0 },
});

/**
 * For what works once. A kept connection may be closed by the provider just as we write to it, and nobody could say then
 * whether the token or code was spent. Repeating is out of the question for the same reason.
 */
export const onceOnlyClient: Got = providerClient.extend({
  agent: { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) },
});

/** A short code for a call that got no answer: `etimedout`, `econnrefused`, ... */
export const codeOf = (error: unknown): string =>
  error instanceof RequestError && error.code ? error.code.toLowerCase() : 'network_error';
