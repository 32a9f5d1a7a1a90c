import type { Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { type HoldEvent, HoldLifted, HoldPlaced, type HoldScope } from './events.ts';
import { evolve, type HoldState, initialState } from './state.ts';

export type HoldCommand =
  | ({ readonly type: 'PlaceHold'; readonly holdId: string; readonly reason: string } & HoldScope)
  | { readonly type: 'LiftHold'; readonly holdId: string; readonly reason: string };

/** Every archive run compares each day with all of them, and every node keeps them in memory. */
export const MAX_HOLDS = 100;
export const MAX_REASON_LENGTH = 500;
export const MAX_SUBJECT_LENGTH = 300;
const SUBJECT = /^(apiKey|account|request)-[\x21-\x7e]+$/;

/** @throws Refusal `invalid_hold` | `hold_not_found` */
export function decide(command: HoldCommand, { active }: HoldState): HoldEvent[] {
  const { type, holdId } = command;
  const reason = readReason(command.reason);
  if (type === 'LiftHold') {
    return active.has(holdId) ? [HoldLifted({ holdId, reason })] : refuse('hold_not_found', { holdId });
  }
  const { subject, from, until } = command;
  if (subject !== null && (subject.length > MAX_SUBJECT_LENGTH || !SUBJECT.test(subject))) {
    refuse('invalid_hold', {
      param: 'subject',
      problem: `must be apiKey-<id>, account-<id> or request-<id>, with at most ${MAX_SUBJECT_LENGTH} characters`,
    });
  }
  if (from !== null && until !== null && from >= until) {
    refuse('invalid_hold', { param: 'until', problem: 'must be later than from' });
  }
  if (active.size >= MAX_HOLDS) {
    refuse('invalid_hold', { problem: `there are ${MAX_HOLDS} holds, which is the maximum: lift one first` });
  }
  return [HoldPlaced({ holdId, subject, from, until, reason })];
}

/** The reason is what an auditor reads years later. */
function readReason(text: string): string {
  const reason = text.trim();
  if (reason === '') refuse('invalid_hold', { param: 'reason', problem: 'must not be empty' });
  if (reason.length > MAX_REASON_LENGTH) {
    refuse('invalid_hold', { param: 'reason', problem: `must have at most ${MAX_REASON_LENGTH} characters` });
  }
  return reason;
}

/** Legal holds. */
export const hold: Decider<HoldState, HoldCommand, HoldEvent> = { decide, evolve, initialState };
