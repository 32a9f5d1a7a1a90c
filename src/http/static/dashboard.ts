import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import sirv from 'sirv';
import { contentSecurityPolicy } from './contentSecurityPolicy.ts';
import { firstRequests } from './firstRequests.ts';
import { isDashboardRequest, isPageRequest } from './pageRequest.ts';

/** @returns whether it responded. If not, the path does not belong to the dashboard, and the response is unchanged */
export type Dashboard = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

const PAGE = '/index.html';
/** Written by the build: the scripts and styles of each page, of which the HTML, one for all pages, names only some. */
const ANNOUNCED = '/pages.json';
const COMPRESSED = /\.(br|gz)$/;

/**
 * Serves the built dashboard: its files, and its single page for every path that a browser navigates to; the router in the
 * page does the rest. Lists the folder once: a new build is served after a restart.
 * @returns undefined if the dashboard has not been built, or if this user may not read it
 */
export function createDashboard(folder: string): Dashboard | undefined {
  const page = readPage(join(folder, PAGE));
  if (page === undefined) return undefined;
  const policy = contentSecurityPolicy(page);
  const links = readLinks(join(folder, ANNOUNCED));
  const serveFile = sirv(folder, { etag: true, brotli: true, gzip: true, extensions: [] });

  function serve(
    request: IncomingMessage,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ): boolean {
    // sirv throws for a range whose end is before its start.
    delete request.headers.range;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.setHeader('vary', 'accept, accept-encoding');
    response.setHeader('x-content-type-options', 'nosniff');
    const onPipe = (file: Readable) => closeWithResponse(file, response);
    response.once('pipe', onPipe);
    let isServed = true;
    serveFile(request, response, () => {
      isServed = false;
      response.off('pipe', onPipe);
      for (const name of response.getHeaderNames()) response.removeHeader(name);
    });
    return isServed;
  }

  function servePage(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const { url = '', headers } = request;
    const asked = firstRequests({ path, hasQuery: url.includes('?'), hasCookie: headers.cookie !== undefined });
    const link = [...asked.map(linkToRequest), ...(links.get(path) ?? [])].join(', ');
    request.url = PAGE;
    return serve(request, response, {
      ...(link !== '' && { link }),
      'cache-control': 'no-cache',
      'content-security-policy': policy,
      'referrer-policy': 'same-origin',
    });
  }

  return (request, response, path) => {
    if (!isDashboardRequest(request, path)) return false;
    if (path === PAGE) return servePage(request, response, '/');
    const isFile = path !== '/' && path !== ANNOUNCED && !COMPRESSED.test(path);
    if (isFile && serve(request, response, { 'cache-control': cacheControlOf(path) })) return true;
    return isPageRequest(request, path) && servePage(request, response, path);
  };
}

/**
 * The headers by which a browser fetches the files of a page at once, instead of finding them in one another: over a line of 150 ms,
 * each step takes as long as 30 kB.
 */
function readLinks(path: string): ReadonlyMap<string, readonly string[]> {
  const text = readPage(path);
  if (text === undefined) return new Map();
  const linkOf = (file: string) =>
    file.endsWith('.css') ? `<${file}>; rel=preload; as=style` : `<${file}>; rel=modulepreload`;
  const pages = Object.entries(JSON.parse(text) as Readonly<Record<string, readonly string[]>>);
  return new Map(pages.map(([page, files]) => [page, files.map(linkOf)]));
}

/** With the credentials and the mode of `fetch`, which then takes the response. */
const linkToRequest = (url: string): string => `<${url}>; rel=preload; as=fetch; crossorigin`;

function readPage(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The names of files below `_app/immutable` contain a hash of their content. */
const cacheControlOf = (path: string): string =>
  path.startsWith('/_app/immutable/') ? 'public, max-age=31536000, immutable' : 'no-cache';

/** sirv handles neither: an unreadable file would end the process, and a disconnected client would leak a file descriptor. */
function closeWithResponse(file: Readable, response: ServerResponse): void {
  file.once('error', () => response.destroy());
  response.once('close', () => file.destroy());
}
