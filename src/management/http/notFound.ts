import type { Layer } from '@koa/router';
import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementMiddleware, ManagementState } from './context.ts';

/**
 * Handles requests that matched no route, and OPTIONS for known paths.
 * @throws Refusal `not_found`, or `method_not_allowed` when the path has routes for other methods
 */
export const notFound = (): ManagementMiddleware => (ctx) => {
  const matched = (ctx.matched ?? []) as Layer<ManagementState>[];
  const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].join(', ');
  if (allowed === '') return refuse('not_found', { path: ctx.path });
  if (ctx.method !== 'OPTIONS') return refuse('method_not_allowed', { method: ctx.method, allowed });
  ctx.set('allow', allowed);
  ctx.status = 204;
};
