import type { HttpResponses } from '../../lib/metrics/httpResponses.ts';
import type { ManagementMiddleware } from './context.ts';

/** Counts each response by the template of its route. Mounted first, so that it sees the final status. */
export const countResponses =
  (responses: Pick<HttpResponses, 'count'> | undefined): ManagementMiddleware =>
  async (ctx, next) => {
    await next();
    const { _matchedRoute: route } = ctx as { readonly _matchedRoute?: unknown };
    responses?.count(typeof route === 'string' ? route : undefined, ctx.method, ctx.status);
  };
