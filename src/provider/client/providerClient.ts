import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { type Got, RequestError } from 'got';

/** HTTP client for the provider's control plane. Sends svc's own user agent, follows no redirects, throws for no status. */
export const providerClient: Got = got.extend({
  headers: { 'user-agent': 'svc', accept: 'application/json' },
  followRedirect: false,
  throwHttpErrors: false,
  retry: { limit: 0 },
});

/**
 * HTTP client for tokens and codes that work once. Neither retries nor reuses connections: if the provider closed an idle
 * connection while the request is written, it would be unknown whether the token was spent.
 */
export const onceOnlyClient: Got = providerClient.extend({
  agent: { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) },
});

/** @returns a short code for a call without a response: `etimedout`, `econnrefused`, ... */
export const codeOf = (error: unknown): string =>
  error instanceof RequestError && error.code ? error.code.toLowerCase() : 'network_error';
