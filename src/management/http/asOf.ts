import { z } from 'zod';
import { position } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { When } from '../../state/past/past.ts';
import type { Management } from '../app.ts';
import type { ManagementContext } from './context.ts';
import { parseTime } from './isoTime.ts';

/** What a GET shows: the fold of now with what this node knows beyond the log, or an earlier one without it. */
export interface View extends Pick<Management, 'vault' | 'now' | 'overlay' | 'reservedOn'> {
  readonly hot: { readonly state: HotState };
}

/** The query of every GET that can look back. */
export const atQuery = {
  at: z.string().optional().describe('A position of the log or an ISO 8601 time: the answer as it was then'),
};

/**
 * Today's view or, with `?at=`, that of an earlier moment. What no event tells is not in it: reservations of requests that
 * were under way, and cool-downs.
 * @throws Refusal `validation_error`
 */
export async function viewOf(ctx: ManagementContext, management: Management): Promise<View> {
  const given = ctx.query.at;
  if (given === undefined) return management;
  const { state, now } = await management.past.at(whenOf(given, management));
  return { vault: management.vault, hot: { state }, now: () => now };
}

function whenOf(given: string | readonly string[], { hot, now }: Management): When {
  if (typeof given !== 'string') return wrong('is given twice');
  if (/^\d+$/.test(given)) {
    const at = position(Number(given));
    return at <= hot.state.position
      ? { position: at }
      : wrong(`lies beyond the log, which ends at ${hot.state.position}`);
  }
  const time = parseTime(given) ?? wrong('must be a position of the log or an ISO 8601 time');
  return time <= now() ? { time } : wrong('lies in the future');
}

const wrong = (problem: string): never => refuse('validation_error', { param: 'at', problem });
