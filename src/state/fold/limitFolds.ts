import type { ApiKey } from '../../domain/apiKey/state.ts';
import { windowsClock } from '../../domain/clock/decide.ts';
import type { ClockEvent } from '../../domain/clock/events.ts';
import type { ApiKeyId, Instant, TeamId } from '../../domain/core/brands.ts';
import type { Recorded } from '../../domain/core/event.ts';
import type { Limited } from '../../domain/limits/changeRules.ts';
import { count, type KeyCounters, mergeLaterWindows, newCounters } from '../../domain/limits/counters.ts';
import { type LimitHolder, ownerHolder, teamHolder } from '../../domain/limits/limitLevel.ts';
import type { LimitRule } from '../../domain/limits/limitRule.ts';
import { advanceTo, countedAt, type WindowsClock } from '../../domain/limits/windowsClock.ts';
import type { OwnerEvent } from '../../domain/owner/events.ts';
import * as owner from '../../domain/owner/state.ts';
import { consumptionOf } from '../../domain/request/consumption.ts';
import type { TeamEvent } from '../../domain/team/events.ts';
import * as team from '../../domain/team/state.ts';
import type { FoldedRequest } from './foldedEvent.ts';

/** The parts of the hot state that are about limits. */
export interface LimitFolds {
  windowsClock: WindowsClock;
  readonly apiKeys: Map<ApiKeyId, ApiKey>;
  /** Of keys, and of the owners and teams that have or had limits. */
  readonly counters: Map<LimitHolder, KeyCounters>;
  /** The limits of owners, by owner. */
  readonly owners: Map<string, owner.OwnerLimits>;
  readonly teams: Map<TeamId, team.Team>;
}

/** What an event changes of the counters of its holder. */
export type CounterChange = 'reset' | 'rules' | undefined;

const changes: Readonly<Record<string, CounterChange>> = {
  TeamLimitsChanged: 'rules',
  TeamUsageReset: 'reset',
  OwnerLimitsChanged: 'rules',
  OwnerUsageReset: 'reset',
};

/** Counters are removed with their team and with the rules they belong to. */
export function evolveTeam(folds: LimitFolds, event: Recorded<TeamEvent>): void {
  const { teamId } = event.data;
  const after = team.evolve(folds.teams.get(teamId), event);
  const holder = teamHolder(teamId);
  if (!after) {
    folds.teams.delete(teamId);
    folds.counters.delete(holder);
    return;
  }
  folds.teams.set(teamId, after);
  followRules(folds, holder, after.rules, changes[event.type]);
}

export function evolveOwner(folds: LimitFolds, event: Recorded<OwnerEvent>): void {
  const after = owner.evolve(folds.owners.get(event.data.owner), event);
  if (!after) return;
  folds.owners.set(after.owner, after);
  followRules(folds, ownerHolder(after.owner), after.rules, changes[event.type]);
}

/** Called after every event about a holder of limits. */
export function followRules(
  folds: Pick<LimitFolds, 'windowsClock' | 'counters'>,
  holder: LimitHolder,
  rules: readonly LimitRule[],
  change: CounterChange,
): void {
  // A window must not be older than the rule that it belongs to.
  for (const { createdAt } of rules) folds.windowsClock = advanceTo(folds.windowsClock, createdAt);
  const counters = folds.counters.get(holder);
  if (change === 'reset') counters?.byRule.clear();
  if (change !== 'rules' || !counters) return;
  const kept = new Set(rules.map(({ id }) => id));
  for (const ruleId of counters.byRule.keys()) if (!kept.has(ruleId)) counters.byRule.delete(ruleId);
}

/**
 * Counts a completed request against the limits of its key and of the owner and the team that the key had when the request was
 * admitted: a key that has moved takes no usage along.
 */
export function countRequest(folds: LimitFolds, request: FoldedRequest): void {
  const { keyId, owner: ofOwner, team: ofTeam } = request;
  const key = keyId === null ? undefined : folds.apiKeys.get(keyId);
  if (key) countFor(folds, key.id, key, request);
  if (ofOwner !== undefined) countFor(folds, ownerHolder(ofOwner), folds.owners.get(ofOwner), request);
  if (ofTeam !== undefined) countFor(folds, teamHolder(ofTeam), folds.teams.get(ofTeam as TeamId), request);
}

function countFor(folds: LimitFolds, holder: LimitHolder, limited: Limited | undefined, request: FoldedRequest): void {
  if (!limited) return;
  let counters = folds.counters.get(holder);
  if (!counters) {
    counters = newCounters();
    folds.counters.set(holder, counters);
  }
  const { model } = request;
  const admittedAt = countedAt(folds.windowsClock, request);
  count(counters, limited.rules, { model, admittedAt, consumption: consumptionOf(request) });
}

/**
 * Sets the windows' clock to the accepted time. What was counted in later windows counts in the current one, and limits that
 * were created later begin now.
 */
export function acceptClock(folds: LimitFolds, event: Recorded<ClockEvent>): void {
  folds.windowsClock = windowsClock.evolve(folds.windowsClock, event);
  const { to: now } = event.data;
  setBack(folds, folds.apiKeys, (keyId) => keyId, now);
  setBack(folds, folds.owners, ownerHolder, now);
  setBack(folds, folds.teams, teamHolder, now);
}

function setBack<Id, Holder extends Limited>(
  { counters }: LimitFolds,
  holders: Map<Id, Holder>,
  holderOf: (id: Id) => LimitHolder,
  now: Instant,
): void {
  for (const [id, limited] of holders) {
    const isAhead = limited.rules.some(({ createdAt }) => createdAt > now);
    const rules = isAhead
      ? limited.rules.map((rule) => (rule.createdAt > now ? { ...rule, createdAt: now } : rule))
      : limited.rules;
    if (isAhead) holders.set(id, { ...limited, rules });
    const counted = counters.get(holderOf(id));
    if (counted) mergeLaterWindows(counted, rules, now);
  }
}

/** Moves the windows' clock to the time at which a request was admitted or refused by limits. */
export function followAdmission(
  folds: Pick<LimitFolds, 'windowsClock'>,
  request: Parameters<typeof countedAt>[1],
): void {
  if (request.admission === undefined) return;
  folds.windowsClock = advanceTo(folds.windowsClock, countedAt(folds.windowsClock, request));
}
