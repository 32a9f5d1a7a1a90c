import type { IncomingMessage } from 'node:http';

const API_PATH = /^\/(api|health|live|ready|metrics|v1|backend-api)(\/|$)/;
const ASSET_PATH = /^\/_app(\/|$)/;

/** Whether a request can be one for the dashboard, whose paths are all that do not belong to an API. */
export const isDashboardRequest = ({ method }: IncomingMessage, path: string): boolean =>
  (method === 'GET' || method === 'HEAD') && !API_PATH.test(path);

/** Whether a request is one for the files of the single page: scripts, styles and fonts. */
export const isAssetRequest = (request: IncomingMessage, path: string): boolean =>
  isDashboardRequest(request, path) && ASSET_PATH.test(path);

/**
 * Whether a request gets the single page. Below the root only requests that name `text/html` do, as those of browsers, so that
 * API clients with a wrong path get an error in JSON. At the root everything that accepts HTML at all does: curl and probes send
 * `Accept: *\/*` or none, and would take the service for down.
 */
export function isPageRequest(request: IncomingMessage, path: string): boolean {
  if (!isDashboardRequest(request, path) || ASSET_PATH.test(path)) return false;
  const { accept } = request.headers;
  if (path !== '/') return /\btext\/html\b/.test(accept ?? '');
  return accept === undefined || /(\*\/\*|\btext\/(\*|html\b))/.test(accept);
}
