import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import type { Handle } from '@sveltejs/kit/hooks';

/** Runs when the page is built: names the font in it, so that a cached font is there when the first text is. */
export const handle: Handle = ({ event, resolve }) =>
  resolve(event, { transformPageChunk: ({ html }) => html.replaceAll('%font%', inter) });
