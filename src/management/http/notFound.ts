import type { Layer } from '@koa/router';
import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementMiddleware, ManagementState } from './context.ts';

/** The end of the line. @throws Refusal `not_found`, or `method_not_allowed` when the path is known */
export const notFound = (): ManagementMiddleware => (ctx) => {
  const matched = (ctx.matched ?? []) as Layer<ManagementState>[];
  const allowed = [...new Set(matched.flatMap(({ methods }) => methods))].join(', ');
  if (allowed === '') return refuse('not_found', { path: ctx.path });
  if (ctx.method !== 'OPTIONS') return refuse('method_not_allowed', { method: ctx.method, allowed });
  ctx.set('allow', allowed);
  ctx.status = 204;
};
