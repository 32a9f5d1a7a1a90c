import type { Context, Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { type LimitRuleInput, rulesChange } from '../limits/changeRules.ts';
import { type OwnerEvent, OwnerLimitsChanged, OwnerUsageReset } from './events.ts';
import { readOwner } from './ownerName.ts';
import { evolve, initialState, type OwnerState } from './state.ts';

/** Omitted fields stay unchanged. */
export interface OwnerCommand {
  readonly type: 'ChangeOwner';
  readonly owner: string;
  readonly limits?: readonly LimitRuleInput[] | undefined;
  readonly resetUsage?: boolean | undefined;
}

/** @throws Refusal `invalid_owner` (with `param`) */
export function decide(command: OwnerCommand, state: OwnerState, { windowsNow }: Context): OwnerEvent[] {
  const read = readOwner(command.owner);
  if ('problem' in read) return refuse('invalid_owner', { param: 'owner', problem: read.problem });
  const { owner } = read;
  const events: OwnerEvent[] = [];
  if (command.limits !== undefined) {
    const change = rulesChange(state ?? { rules: [], nextRuleId: 1 }, command.limits, windowsNow, refuseRules);
    if (change) events.push(OwnerLimitsChanged({ owner, ...change }));
  }
  if (command.resetUsage && state) events.push(OwnerUsageReset({ owner }));
  return events;
}

const refuseRules = (details: object): never => refuse('invalid_owner', { ...details });

/** The limits of an owner of API keys. */
export const owner: Decider<OwnerState, OwnerCommand, OwnerEvent> = { decide, evolve, initialState };
