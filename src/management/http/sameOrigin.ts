import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementMiddleware } from './context.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const FOREIGN_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site']);

/**
 * No page of another origin may change anything here: browsers say where a write comes from, tools say nothing.
 * @throws Refusal `cross_origin`
 */
export const sameOriginWrites = (): ManagementMiddleware => (ctx, next) => {
  if (!READS.has(ctx.method)) {
    const { origin, host, 'sec-fetch-site': site } = ctx.headers;
    const isForeign = origin !== undefined && !isOwn(origin, host ?? '');
    if (isForeign || (typeof site === 'string' && FOREIGN_SITES.has(site.toLowerCase()))) refuse('cross_origin');
  }
  return next();
};

/** The scheme is left out: whoever speaks TLS in front of us keeps host and port. */
function isOwn(origin: string, host: string): boolean {
  const given = URL.canParse(origin) ? new URL(origin) : undefined;
  if (!given || (given.protocol !== 'http:' && given.protocol !== 'https:')) return false;
  const own = `${given.protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === given.host;
}
