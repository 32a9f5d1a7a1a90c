import { meaningOf } from '../../domain/request/attemptOutcomes.ts';
import type { Attempt, CompletedRequest } from '../../domain/request/events.ts';
import type { RecordedChoice } from '../ownCoolDowns.ts';

/** The attempts that one choice led to: further ones repeat it with a refreshed token. */
export interface Call {
  readonly attempts: readonly Attempt[];
  readonly last: Attempt;
}

/** The calls of a request, in order. */
export function callsOf(attempts: readonly Attempt[]): Call[] {
  const calls: Call[] = [];
  for (const attempt of attempts) {
    const before = calls.at(-1);
    if (attempt.isRepeat && before)
      calls[calls.length - 1] = { attempts: [...before.attempts, attempt], last: attempt };
    else calls.push({ attempts: [attempt], last: attempt });
  }
  return calls;
}

/** The choices that a request recorded, in order, and how long it had waited in total when each was made. */
export interface ChoicePoint {
  readonly choice: RecordedChoice;
  readonly waitedMs: number;
  /** No account was found, so that svc had decided not to wait. */
  readonly isLast: boolean;
}

export function choicePointsOf(calls: readonly Call[], refusal: CompletedRequest['refusal']): ChoicePoint[] {
  let waitedMs = 0;
  const points = calls.map(({ attempts: [first] }): ChoicePoint => {
    waitedMs += first?.waitedMs ?? 0;
    return { choice: first as Attempt, waitedMs, isLast: false };
  });
  if (refusal) points.push({ choice: refusal, waitedMs, isLast: true });
  return points;
}

/** Causes of failed attempts that say nothing about the request, although they are not counted against the account either. */
const OF_THE_ACCOUNT = new Set([
  'usage_limit',
  'out_of_descriptors',
  'proxy_failed',
  'proxy_cut',
  'socket_refused',
  'socket_closed',
]);

/** Whether the attempt failed because of its account, so that another account may have served the request. */
export const failedByAccount = ({ outcome }: Pick<Attempt, 'outcome'>): boolean =>
  meaningOf(outcome) === 'failure' || OF_THE_ACCOUNT.has(outcome);
