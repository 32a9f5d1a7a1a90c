import type { KeyCounters } from '../../domain/limits/counters.ts';
import type { LimitedRequest } from '../../domain/limits/limitLevel.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import type { LimitFolds } from '../../state/fold/limitFolds.ts';
import { levelsOf } from '../../state/fold/limitLevels.ts';

/** Whose limits a request counts against. */
export interface LimitSubject {
  /** As in `Admission.reserved`: `key`, `owner` or `team`. */
  readonly level: string;
  readonly id: string;
  readonly rules: readonly LimitRule[];
  readonly counters: KeyCounters | undefined;
}

/** The subjects whose limits apply to a request, in the order in which they are checked. */
export const limitSubjectsOf = (
  state: Pick<LimitFolds, 'apiKeys' | 'owners' | 'teams' | 'counters'>,
  request: LimitedRequest,
): readonly LimitSubject[] =>
  levelsOf(state, request).map(({ level, subject, holder, rules }) => ({
    level,
    id: subject,
    rules,
    counters: state.counters.get(holder),
  }));
