import { z } from 'zod';
import type { Position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { ProgressQueries } from '../../readModels/progressQueries.ts';
import type { UpTo } from '../../readModels/upTo.ts';
import type { ManagementContext } from './context.ts';
import { queryInteger } from './query.ts';

/** What is new is read one by one. */
const MAX_NEW_EVENTS = 100_000;

/** The parameter of lists that return what is new. */
export const afterQuery = {
  after: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Only what the log has after this position, to follow a list: first that of `GET /api/status`, then `position` of the answer before; at most 100,000 events',
    ),
};

/** The field of these lists that the next call passes as `after`; without `after` an answer is as it always was. */
export const positionSchema = {
  position: z
    .int()
    .optional()
    .describe('Only with `after`: position of the log up to which the answer is complete, for the next call'),
};

/** From where on a list returns what is new, and as of when. */
export interface NewSince {
  readonly after: Position | undefined;
  readonly upTo: UpTo;
  /** For the answer; nothing without `after`. */
  readonly reached: { readonly position?: Position };
}

/**
 * Reads `after`. With it the list ends exactly at `position`, so that the next one begins there.
 * @param upTo what the list includes; its end must not be before `after`
 * @throws Refusal `validation_error`
 */
export async function readNewSince(ctx: ManagementContext, upTo: UpTo, progress: ProgressQueries): Promise<NewSince> {
  const given = queryInteger(ctx, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: -1 });
  if (given < 0) return { after: undefined, upTo, reached: {} };
  const position = typeof upTo === 'number' ? await progress.reached(upTo) : upTo.exactly;
  if (position - given > MAX_NEW_EVENTS) {
    refuse('validation_error', {
      param: 'after',
      problem: `must be one of the last ${MAX_NEW_EVENTS.toLocaleString('en')} positions: get the list without it, and go on from the position of GET /api/status`,
    });
  }
  return { after: given as Position, upTo: { exactly: position }, reached: { position } };
}
