import type { Recorded } from '../core/event.ts';
import { type Limited, withRules } from '../limits/changeRules.ts';
import type { OwnerEvent } from './events.ts';

/** The limits of an owner of API keys. Owners themselves are texts in the keys: only their limits are stored. */
export interface OwnerLimits extends Limited {
  readonly owner: string;
}

/** `undefined`: never had limits. */
export type OwnerState = OwnerLimits | undefined;

export const initialState: OwnerState = undefined;

export function evolve(state: OwnerState, { type, data }: Recorded<OwnerEvent>): OwnerState {
  switch (type) {
    case 'OwnerLimitsChanged':
      return { owner: data.owner, ...withRules(state ?? { nextRuleId: 1 }, data.to) };
    case 'OwnerUsageReset':
      return state;
  }
}
