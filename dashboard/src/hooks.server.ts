import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import type { Handle } from '@sveltejs/kit/hooks';

/** Runs when the page is built: names the font in it, so that the font is there when the first text is, and moves nothing. */
export const handle: Handle = ({ event, resolve }) =>
  resolve(event, { transformPageChunk: ({ html }) => html.replace('%font%', inter) });
