import type { Dashboard } from './dashboard.ts';
import { isAssetRequest, isPageRequest } from './pageRequest.ts';

export interface UnavailableDashboardOptions {
  /** Sentences for the person who opened a page: what is wrong, and what to do. */
  readonly sentences: readonly string[];
  /** How often the page loads itself again. */
  readonly refreshSeconds: number;
  /** Sent as `Retry-After` when it will end by itself. */
  readonly retryAfterSeconds?: number;
}

/** Responds to the requests that the dashboard would serve with 503 and a small page that says why, and that loads itself again. */
export function createUnavailableDashboard(options: UnavailableDashboardOptions): Dashboard {
  const { sentences, refreshSeconds, retryAfterSeconds } = options;
  const page = Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="${refreshSeconds}">
<title>svc</title>
${sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>\n`).join('')}</html>
`);
  return (request, response, path) => {
    if (!isPageRequest(request, path) && !isAssetRequest(request, path)) return false;
    response.writeHead(503, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': page.length,
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      vary: 'accept',
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    });
    response.end(request.method === 'HEAD' ? undefined : page);
    return true;
  };
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
