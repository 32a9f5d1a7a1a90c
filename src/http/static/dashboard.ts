import type { IncomingMessage, ServerResponse } from 'node:http';
import accepts from 'accepts';
import { contentSecurityPolicy } from './contentSecurityPolicy.ts';
import { type Encoding, PAGE, readSite, type Site, type SiteFile } from './site.ts';

/** @returns whether it answered; what it did not answer belongs to somebody else */
export type Dashboard = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/**
 * Serves the built dashboard: its files, and its one page to whoever navigates somewhere (the page finds out where).
 * Scripts get JSON for paths that are not there, as everywhere: they do not ask for text/html.
 */
export function createDashboard(folder: string): Dashboard | undefined {
  const site = readSite(folder);
  if (!site) return undefined;
  const page = site.get(PAGE) as SiteFile;
  const policy = contentSecurityPolicy(String(page.bodies.get('identity')));

  return (request, response, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const file = fileFor(site, path);
    if (file && file !== page) {
      response.setHeader('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      send(request, response, file);
      return true;
    }
    if (!file && !isNavigation(request, path)) return false;
    response.setHeader('cache-control', 'no-cache');
    response.setHeader('content-security-policy', policy);
    response.setHeader('referrer-policy', 'same-origin');
    send(request, response, page);
    return true;
  };
}

const fileFor = (site: Site, path: string) => (path === '/' ? undefined : site.get(path));

const OTHERS = /^\/(api|health|v1|backend-api|_app)(\/|$)/;

function isNavigation(request: IncomingMessage, path: string): boolean {
  if (OTHERS.test(path)) return false;
  // `*/*` is what scripts send: only who names html gets some.
  return /\btext\/html\b/.test(request.headers.accept ?? '');
}

function send(request: IncomingMessage, response: ServerResponse, file: SiteFile): void {
  const encoding = encodingFor(request, file);
  const body = file.bodies.get(encoding) as Buffer;
  response.setHeader('etag', file.etag);
  response.setHeader('vary', 'accept, accept-encoding');
  response.setHeader('x-content-type-options', 'nosniff');
  if (request.headers['if-none-match']?.includes(file.etag)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.setHeader('content-type', file.type);
  response.setHeader('content-length', body.byteLength);
  if (encoding !== 'identity') response.setHeader('content-encoding', encoding);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** The smallest that the client takes; of those it likes equally, ours comes first. */
function encodingFor(request: IncomingMessage, { bodies }: SiteFile): Encoding {
  const ours = (['br', 'gzip', 'identity'] as const).filter((encoding) => bodies.has(encoding));
  const [chosen] = [accepts(request).encodings([...ours])].flat();
  return ours.find((encoding) => encoding === chosen) ?? 'identity';
}
