import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { type Got, RequestError } from 'got';

/** Calls the provider's control plane: under svc's own name, without following redirects; no status is an error. */
export const providerClient: Got = got.extend({
  headers: { 'user-agent': 'svc', accept: 'application/json' },
  followRedirect: false,
  throwHttpErrors: false,
  retry: { limit: 0 },
});

/**
 * For tokens and codes that work once. Neither retries nor reuses connections: if the provider closes a kept connection
 * while a request is written, it is unknown whether the token was spent.
 */
export const onceOnlyClient: Got = providerClient.extend({
  agent: { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) },
});

/** @returns a short code for a call without a response: `etimedout`, `econnrefused`, ... */
export const codeOf = (error: unknown): string =>
  error instanceof RequestError && error.code ? error.code.toLowerCase() : 'network_error';
