import { regionsOf } from '../domain/apiKey/regionsOf.ts';
import type { AccountId, Position } from '../domain/core/brands.ts';
import { excludedPlans } from '../domain/modelCatalogue/excludedPlans.ts';
import type { Attempt, CompletedRequest } from '../domain/request/events.ts';
import {
  PLANS_SINCE_VERSION,
  REGIONS_SINCE_VERSION,
  type SelectInput,
  select,
  triedBy,
} from '../domain/routing/select.ts';
import type { HotState } from '../state/fold/hotState.ts';
import type { OwnCoolDowns, RecordedChoice } from './ownCoolDowns.ts';
import type { RecordedDecision } from './recordedDecision.ts';

/** A completed request with its place in the log. */
export interface CompletedEvent {
  readonly data: CompletedRequest;
  readonly stream: string;
  readonly position: Position;
}

/** The choices of accounts that a completed request recorded. */
export function choicesIn(event: CompletedEvent, ownCoolDowns: OwnCoolDowns): RecordedDecision[] {
  const { data: request, position } = event;
  const { requestId, attempts, refusal } = request;
  const repeatAt = (choice: RecordedChoice, before: readonly Attempt[]) => (hot: HotState) =>
    resultOf(selectInputOf(hot, event, choice, before, ownCoolDowns));
  const choices = attempts.map((attempt, index): RecordedDecision => {
    const { decidedAt, accountId, isRepeat } = attempt;
    const repeat = isRepeat
      ? () => String(attempts[index - 1]?.accountId)
      : repeatAt(attempt, attempts.slice(0, index));
    return {
      kind: 'choice',
      requestId,
      position,
      decidedAt,
      decision: `attempt ${index + 1}`,
      recorded: accountId,
      repeat,
    };
  });
  if (refusal) {
    const { decidedAt, reason } = refusal;
    const repeat = repeatAt(refusal, attempts);
    choices.push({ kind: 'choice', requestId, position, decidedAt, decision: 'no account', recorded: reason, repeat });
  }
  return choices;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * What a recorded choice was made from.
 * @param hot the fold at the position at which it was made
 * @param before the attempts before it
 */
export function selectInputOf(
  hot: HotState,
  { data: { requestId, pin, keyId, model }, stream }: CompletedEvent,
  choice: RecordedChoice,
  before: readonly Attempt[],
  ownCoolDowns: OwnCoolDowns,
): SelectInput {
  const { overlay, asOf, v } = choice;
  return {
    accounts: hot.accounts,
    usage: hot.usage,
    settings: hot.settings,
    pinnedTo: pin && pinnedTo(hot, pin, overlay),
    excludedPlans: v >= PLANS_SINCE_VERSION ? excludedPlans(hot.models, model) : NONE,
    regions: v >= REGIONS_SINCE_VERSION ? regionsOf(hot, keyId) : undefined,
    seed: pin?.digest ?? requestId,
    tried: triedBy(before),
    coolDowns: ownCoolDowns.at(hot, choice, stream),
    turn: overlay?.turn ?? 0,
    now: asOf,
  };
}

/** The account, or the reason why none was available. */
function resultOf(input: SelectInput): string {
  const selection = select(input);
  return selection.kind === 'chosen' ? selection.accountId : selection.reason;
}

/** The account that the request recorded, or that the log says: earlier versions recorded only what the log did not have yet. */
export function pinnedTo(
  hot: HotState,
  { digest, resolvedTo }: NonNullable<CompletedRequest['pin']>,
  overlay: RecordedChoice['overlay'],
): AccountId | undefined {
  if (resolvedTo !== undefined) return resolvedTo ?? undefined;
  return overlay?.pinnedTo ?? hot.pins.get(digest, hot.position);
}
