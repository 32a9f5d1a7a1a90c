import { createHash } from 'node:crypto';

/**
 * What a page may load: its own scripts and styles, and nothing from anywhere else. The scripts that stand in the page
 * (they choose the theme before the first paint and start the application) are named by their hashes, so that no other
 * can be put in.
 */
export function contentSecurityPolicy(html: string): string {
  const inline = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text = '']) => hashOf(text));
  return [
    "default-src 'none'",
    `script-src 'self' ${inline.join(' ')}`.trim(),
    "style-src 'self'",
    // The framework hides what is only read out by style attributes; they can do no more than style.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
