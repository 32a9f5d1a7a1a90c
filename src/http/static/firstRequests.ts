/** Every page waits for the sign-in state. */
const SESSION = '/api/dashboard-auth/session';

/**
 * What pages ask the API for before they can show their content, when they are opened without a query; every role may ask for it. It must be
 * what the page asks for, to the letter: another request would be one too many (`test/dashboard/requestLogs.system.test.ts`).
 */
const ROWS: Readonly<Record<string, string>> = {
  '/request-logs': '/api/request-logs?sort=-requested_at&with_position=true&limit=100&offset=0',
};

/** The part of a page's request that says what it will ask for. */
export interface OpenedPage {
  readonly path: string;
  readonly hasQuery: boolean;
  /** Without a cookie there is no session. */
  readonly hasCookie: boolean;
}

/**
 * The requests that the browser sends beside those for the scripts, and not after the scripts have run: over a slow line that saves a round
 * trip and the time that the scripts take.
 */
export function firstRequests({ path, hasQuery, hasCookie }: OpenedPage): readonly string[] {
  if (!hasCookie) return [];
  const rows = hasQuery ? undefined : ROWS[path];
  return rows === undefined ? [SESSION] : [SESSION, rows];
}
