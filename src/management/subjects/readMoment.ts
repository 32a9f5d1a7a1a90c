import { type Instant, type Position, position } from '../../domain/core/brands.ts';
import type { MomentQuery } from '../../state/past/past.ts';
import { parseTime } from '../http/isoTime.ts';

/**
 * Reads a moment: a position of the log, or an ISO 8601 time.
 * @returns the moment, or what is wrong with the text: the end of a sentence that begins with what it was given for
 */
export function readMoment(
  text: string,
  { head, now }: { readonly head: Position; readonly now: Instant },
): MomentQuery | string {
  if (/^\d{1,15}$/.test(text)) {
    const requested = position(Number(text));
    return requested <= head ? { position: requested } : `lies beyond the log, which ends at ${head}`;
  }
  const time = parseTime(text);
  if (time === undefined) return 'must be a position of the log or an ISO 8601 time';
  return time <= now ? { time } : 'lies in the future';
}
