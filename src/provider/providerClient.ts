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

/** A short code for a call that got no answer: `etimedout`, `econnrefused`, ... */
export const codeOf = (error: unknown): string =>
  error instanceof RequestError && error.code ? error.code.toLowerCase() : 'network_error';

/** The object in a JSON text; undefined for everything else. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export const asObject = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
