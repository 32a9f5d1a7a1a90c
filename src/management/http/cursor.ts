import { type Position, position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { ManagementContext } from './context.ts';
import { queryText } from './query.ts';

/** The cursor of the events before a position, as responses contain it; null for null: there are none. */
export const cursorOf = (before: Position | null): string | null =>
  before === null ? null : Buffer.from(`before ${before}`).toString('base64url');

/** Reads the query parameter `cursor`; null without it. @throws Refusal `validation_error` */
export function readCursor(ctx: ManagementContext): Position | null {
  const cursor = queryText(ctx, 'cursor');
  if (cursor === undefined) return null;
  const [, before] = /^before (\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (before !== undefined) return position(Number(before));
  return refuse('validation_error', { param: 'cursor', problem: 'must be the next_cursor of an earlier response' });
}
