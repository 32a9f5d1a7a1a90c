import type { OutgoingHttpHeaders } from 'node:http';

/** What somebody whom the provider sent back is told. */
export interface CallbackResult {
  readonly status: 200 | 400 | 404 | 503;
  readonly code: string;
  readonly title: string;
  readonly message: string;
}

export const NOBODY_WAITS: CallbackResult = {
  status: 404,
  code: 'not_found',
  title: 'Nobody waits for this',
  message: 'No sign-in that is under way here belongs to this address. Begin a new one in the dashboard.',
};

export interface Rendered {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** A page for browsers, the envelope of management for everybody else. */
export function render({ status, code, title, message }: CallbackResult, accept: string): Rendered {
  const isBrowser = accept.includes('text/html');
  const body = isBrowser
    ? page(title, message)
    : JSON.stringify(status === 200 ? { message } : { error: { code, message } });
  const type = isBrowser ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
  return { status, headers: { ...HEADERS, 'content-type': type, 'content-length': Buffer.byteLength(body) }, body };
}

/** The address of the page holds the code: it goes to nobody else, and nothing keeps it. */
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
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<h1>${escaped(title)}</h1>
<p>${escaped(message)}</p>
</html>
`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
