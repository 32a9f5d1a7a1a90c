import { HotState } from './hotState.ts';
import { changesBetween, type StateChanges, type StateData, withChanges } from './stateChanges.ts';

/**
 * Checkpoints that are kept and written together: the first one, and what each of the others changed. More of them would take less
 * room and make every reading slower.
 */
export const GROUP_SIZE = 16;

/** The states of neighbouring checkpoints. */
export interface GroupData {
  readonly first: StateData;
  /** From each checkpoint to the next. */
  readonly changes: readonly StateChanges[];
}

/** @param states in their order; the group shares their values */
export function groupOf(states: readonly StateData[]): GroupData {
  const [first = {}, ...others] = states;
  return { first, changes: others.map((state, index) => changesBetween(states[index] ?? {}, state)) };
}

/** A state of a group, by its index. Its maps are its own. */
export const stateIn = ({ first, changes }: GroupData, index: number): HotState =>
  HotState.from(withChanges(first, changes.slice(0, index)));
