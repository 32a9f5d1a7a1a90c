import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { ExtendOptions, Got, RequestError } from 'got';

/** Resolves with an HTTP client for the provider's control plane. */
export type ProviderClient = () => Promise<Got>;

interface Clients {
  readonly client: Got;
  readonly onceOnly: Got;
  readonly isRequestError: (error: unknown) => error is RequestError;
}

let clients: Clients | undefined;

/** With the first call to the provider: got takes a tenth of a start, which makes no call. A load that failed is tried again. */
async function load(): Promise<Clients> {
  const { default: got, RequestError } = await import('got');
  const client = got.extend({
    headers: { 'user-agent': 'svc', accept: 'application/json' },
    followRedirect: false,
    throwHttpErrors: false,
    retry: { limit: 0 },
  });
  const agent = { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false }) };
  clients ??= {
    client,
    onceOnly: client.extend({ agent }),
    isRequestError: (error) => error instanceof RequestError,
  };
  return clients;
}

/** A client that sends svc's own user agent, follows no redirects, and throws for no status. */
export function providerClient(options: ExtendOptions): ProviderClient {
  let client: Got | undefined;
  return async () => {
    client ??= (clients ?? (await load())).client.extend(options);
    return client;
  };
}

/**
 * A client for tokens and codes that work once. Neither retries nor reuses connections: if the provider closed an idle
 * connection while the request is written, it would be unknown whether the token was spent.
 */
export function onceOnlyClient(options: ExtendOptions): ProviderClient {
  let client: Got | undefined;
  return async () => {
    client ??= (clients ?? (await load())).onceOnly.extend(options);
    return client;
  };
}

/** @returns a short code for a call without a response: `etimedout`, `econnrefused`, ... */
export const codeOf = (error: unknown): string =>
  clients?.isRequestError(error) && error.code ? error.code.toLowerCase() : 'network_error';
