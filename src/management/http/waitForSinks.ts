import { refuse } from '../../domain/core/refusal.ts';
import { isWrite, type ManagementMiddleware } from './context.ts';

/**
 * Lets changes wait while a fail-closed sink takes no events.
 * @param whenTaking undefined while nothing has to wait, else whether the sinks take events again in time
 * @throws Refusal `sink_unavailable`
 */
export const waitForSinks =
  (whenTaking: (() => Promise<boolean> | undefined) | undefined): ManagementMiddleware =>
  (ctx, next) => {
    const taking = isWrite(ctx) ? whenTaking?.() : undefined;
    if (!taking) return next();
    return taking.then((isTaking) => (isTaking ? next() : refuse('sink_unavailable')));
  };
