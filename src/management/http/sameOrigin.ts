import { refuse } from '../../domain/core/refusal.ts';
import { isWrite, type ManagementMiddleware } from './context.ts';

const FOREIGN_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site']);

/**
 * Refuses writes from pages of other origins. Browsers send `Origin` or `Sec-Fetch-Site` with every write. Command-line
 * tools send neither and may write.
 * @throws Refusal `cross_origin`
 */
export const sameOriginWrites = (): ManagementMiddleware => (ctx, next) => {
  if (isWrite(ctx)) {
    const { origin, host, 'sec-fetch-site': site } = ctx.headers;
    const isForeign = origin !== undefined && !isSameHost(origin, host ?? '');
    if (isForeign || (typeof site === 'string' && FOREIGN_SITES.has(site.toLowerCase()))) refuse('cross_origin');
  }
  return next();
};

/** Compares host and port only: a reverse proxy that terminates TLS changes the scheme. */
function isSameHost(origin: string, host: string): boolean {
  const sender = URL.canParse(origin) ? new URL(origin) : undefined;
  if (!sender || (sender.protocol !== 'http:' && sender.protocol !== 'https:')) return false;
  const own = `${sender.protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === sender.host;
}
