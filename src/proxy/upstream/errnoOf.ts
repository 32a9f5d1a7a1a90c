/** Names of system and TLS errors, such as `ECONNRESET` and `CERT_HAS_EXPIRED`. */
const NAME = /^[A-Z][A-Z0-9_]{1,63}$/;
/** Causes of causes. */
const MAX_DEPTH = 4;

interface Coded {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/**
 * The name of the system's error behind a failed call, for the log and the dashboard. Both upstream pools give the same name
 * for the same failure. The text of an error is never kept: it may contain addresses and what was sent.
 */
export function errnoOf(error: unknown, depth = MAX_DEPTH): string | undefined {
  if (depth === 0 || typeof error !== 'object' || error === null) return undefined;
  const { name, code, cause, errors } = error as Coded;
  // undici's parser names only some of its errors.
  if (name === 'HTTPParserError') return 'EPROTO';
  const own = typeof code === 'string' ? namedErrno(code) : undefined;
  // An attempt at several addresses has an error for each.
  return own ?? errnoOf(errors?.[0], depth - 1) ?? errnoOf(cause, depth - 1);
}

function namedErrno(code: string): string | undefined {
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'ETIMEDOUT';
    case 'UND_ERR_SOCKET':
      return 'ECONNRESET';
  }
  return NAME.test(code) ? code : undefined;
}
