import type { OutgoingHttpHeaders } from 'node:http';

/** The content of the page for a browser that the provider redirected back. */
export interface CallbackResult {
  readonly status: 200 | 400 | 404 | 503;
  readonly code: string;
  readonly title: string;
  readonly message: string;
}

export const UNKNOWN_SIGN_IN: CallbackResult = {
  status: 404,
  code: 'not_found',
  title: 'Unknown sign-in',
  message: 'This address belongs to no open sign-in. Start a new one in the dashboard.',
};

export interface RenderedPage {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** Renders an HTML page for browsers, or JSON as in management responses for other clients. */
export function render({ status, code, title, message }: CallbackResult, accept: string): RenderedPage {
  const isBrowser = accept.includes('text/html');
  const body = isBrowser
    ? page(title, message)
    : JSON.stringify(status === 200 ? { message } : { error: { code, message } });
  const type = isBrowser ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
  return { status, headers: { ...HEADERS, 'content-type': type, 'content-length': Buffer.byteLength(body) }, body };
}

/** The address of the page contains the code: it must not be sent as a referrer, and nothing may cache the page. */
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto 0;padding:0 1rem;color-scheme:light dark}' +
  'h1{font-size:1.4rem}';

const page = (title: string, message: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(message)}</p>
</html>
`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
