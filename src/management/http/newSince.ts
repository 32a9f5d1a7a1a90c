import { z } from 'zod';
import type { Position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { ProgressQueries } from '../../readModels/progressQueries.ts';
import type { UpTo } from '../../readModels/upTo.ts';
import type { ManagementContext } from './context.ts';
import { queryChoice, queryInteger } from './query.ts';

/** What is new is read one by one. */
const MAX_NEW_EVENTS = 100_000;

/** The parameter of lists that return what is new. */
export const afterQuery = {
  after: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Only what the log has after this position, to follow a list: the `position` of the answer before; at most 100,000 events',
    ),
  with_position: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether an answer without `after` has a `position`, too: the first `after`'),
};

/** The field of these lists that the next call passes as `after`. */
export const positionSchema = {
  position: z
    .int()
    .optional()
    .describe(
      'With `after` or `with_position`: position of the log up to which the answer is complete, for the next call',
    ),
};

/** From where on a list returns what is new, and as of when. */
export interface NewSince {
  readonly after: Position | undefined;
  readonly upTo: UpTo;
  /** For the answer; nothing unless it was asked for. */
  readonly reached: { readonly position?: Position };
}

/**
 * Reads `after` and `with_position`. With one of them the list ends exactly at `position`, so that the next one begins there.
 * @param upTo what the list includes; its end must not be before `after`
 * @throws Refusal `validation_error`
 */
export async function readNewSince(ctx: ManagementContext, upTo: UpTo, progress: ProgressQueries): Promise<NewSince> {
  const given = queryInteger(ctx, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: -1 });
  const isFirst = given < 0;
  if (isFirst && queryChoice(ctx, 'with_position', ['false', 'true']) === 'false') {
    return { after: undefined, upTo, reached: {} };
  }
  const position = typeof upTo === 'number' ? await progress.reached(upTo) : upTo.exactly;
  if (isFirst) return { after: undefined, upTo: { exactly: position }, reached: { position } };
  if (position - given > MAX_NEW_EVENTS) {
    refuse('validation_error', {
      param: 'after',
      problem: `must be one of the last ${MAX_NEW_EVENTS.toLocaleString('en')} positions: get the list with with_position=true, and go on from its position`,
    });
  }
  return { after: given as Position, upTo: { exactly: position }, reached: { position } };
}
