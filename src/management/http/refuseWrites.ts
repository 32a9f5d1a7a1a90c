import { refuse } from '../../domain/core/refusal.ts';
import { isWrite, type ManagementMiddleware } from './context.ts';

/** Starts and cancels replays, which change nothing. */
const REPLAYS = /^\/api\/(replays|jobs)(\/|$)/;

/** Refuses what would change something where nothing can be changed. @throws Refusal `read_only` */
export const refuseWrites =
  (problem: string | undefined): ManagementMiddleware =>
  (ctx, next) => {
    if (problem !== undefined && isWrite(ctx) && !REPLAYS.test(ctx.path)) refuse('read_only', { problem });
    return next();
  };
