import type { CoolDowns } from '../../domain/coolDown/state.ts';
import { type AccountId, type Instant, iso, type Position } from '../../domain/core/brands.ts';
import type { Attempt, CompletedRequest } from '../../domain/request/events.ts';
import { type Candidate, explainChoice } from '../../domain/routing/explainChoice.ts';
import { UNKNOWN_DAYS } from '../../domain/routing/rank.ts';
import type { SelectInput } from '../../domain/routing/select.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { type CompletedEvent, selectInputOf } from '../choices.ts';
import { OwnCoolDowns, type RecordedChoice } from '../ownCoolDowns.ts';
import type { ExplainSource } from './explainSource.ts';
import type { ExplainedAttempt, ExplainedCandidate, ExplainedChoice } from './explanation.ts';

export interface ChoicesOptions {
  readonly source: ExplainSource;
  /** The fold at a position; called in ascending order. */
  readonly stateAt: (position: Position) => Promise<HotState>;
  /** Called with the position of each event that a decision names. */
  readonly onNamed: (position: Position) => void;
}

/** Explains the choices of a completed request: its attempts, and the last choice if that found no account. */
export async function explainChoices(
  event: CompletedEvent,
  options: ChoicesOptions,
): Promise<{ attempts: ExplainedAttempt[]; noAccount: ExplainedChoice | null }> {
  const { attempts, refusal } = event.data;
  const ownCoolDowns = new OwnCoolDowns();
  const first = attempts[0] ?? refusal;
  if (first) for (const each of options.source.coolDowns(first.decidedAt, event.position)) ownCoolDowns.add(each);
  const explained: ExplainedAttempt[] = [];
  const choiceOf = (choice: RecordedChoice, before: readonly Attempt[]) =>
    explainedChoice(event, choice, before, ownCoolDowns, options);
  for (const [index, attempt] of attempts.entries()) {
    const choice = attempt.isRepeat
      ? repeated(attempt, explained.at(-1))
      : await choiceOf(attempt, attempts.slice(0, index));
    explained.push(explainedAttempt(attempt, index + 1, choice));
  }
  return { attempts: explained, noAccount: refusal ? await choiceOf(refusal, attempts) : null };
}

const explainedAttempt = (attempt: Attempt, number: number, choice: ExplainedChoice): ExplainedAttempt => ({
  number,
  account_id: attempt.accountId,
  outcome: attempt.outcome,
  provider_status: attempt.providerStatus ?? null,
  code: attempt.code ?? null,
  errno: attempt.errno ?? null,
  proxy: attempt.proxy ?? null,
  region: attempt.region ?? null,
  started_at: iso(attempt.startedAt),
  ended_at: iso(attempt.endedAt),
  duration_ms: attempt.endedAt - attempt.startedAt,
  waited_ms: attempt.waitedMs ?? 0,
  limited_until: attempt.limitedUntil === undefined ? null : iso(attempt.limitedUntil),
  choice,
});

/** The same account again after its tokens were refreshed: no choice was made. */
const repeated = ({ decidedAt, asOf, v }: Attempt, before: ExplainedAttempt | undefined): ExplainedChoice => ({
  by: 'repeat',
  reason: null,
  decided_at: decidedAt,
  as_of: iso(asOf),
  rule_version: v,
  turn: null,
  candidates: before?.choice.candidates ?? [],
});

async function explainedChoice(
  event: CompletedEvent,
  choice: RecordedChoice,
  before: readonly Attempt[],
  ownCoolDowns: OwnCoolDowns,
  { source, stateAt, onNamed }: ChoicesOptions,
): Promise<ExplainedChoice> {
  const { decidedAt, asOf, v, overlay } = choice;
  const hot = await stateAt(decidedAt);
  const input = selectInputOf(hot, withPin(event, choice, source), choice, before, ownCoolDowns);
  const { selection, by, candidates } = explainChoice(input);
  const sinceOf = createSince(source, input, event.position);
  return {
    by,
    reason: selection.kind === 'none' ? selection.reason : null,
    decided_at: decidedAt,
    as_of: iso(asOf),
    rule_version: v,
    turn: overlay?.turn ?? null,
    candidates: candidates.map((candidate) => {
      const since = sinceOf(candidate);
      if (since.position !== undefined) onNamed(since.position);
      return explainedCandidate(candidate, input, since);
    }),
  };
}

/** The event with the pin that the log says, where it did not record one: states of the past do not have pins. */
function withPin(event: CompletedEvent, { overlay, decidedAt }: RecordedChoice, source: ExplainSource): CompletedEvent {
  const { pin } = event.data;
  if (!pin || pin.resolvedTo !== undefined) return event;
  const resolvedTo = overlay?.pinnedTo ?? source.pinOf(pin.digest, decidedAt);
  return { ...event, data: { ...event.data, pin: { ...pin, resolvedTo } } as CompletedRequest };
}

interface Since {
  readonly at: Instant | undefined;
  readonly position?: Position | undefined;
  readonly requestId?: string | undefined;
}

const UNKNOWN: Since = { at: undefined };

/** Finds out since when an account was kept out, and by which event. */
function createSince(source: ExplainSource, { usage, coolDowns }: SelectInput, end: Position) {
  return ({ accountId, exclusion }: Candidate): Since => {
    switch (exclusion) {
      case 'paused':
        return byEvent(source, accountId, ['AccountPaused'], end);
      case 'deactivated':
        return byEvent(source, accountId, ['AccountDeactivated'], end);
      case 'cooling':
        return byCoolDown(source, accountId, coolDowns, end);
      case 'rate_limited':
      case 'quota_exceeded': {
        const { observedAt, limited } = usage.get(accountId) ?? {};
        return { at: limited?.since ?? observedAt };
      }
      default:
        return UNKNOWN;
    }
  };
}

function byEvent(
  source: ExplainSource,
  id: AccountId,
  types: Parameters<ExplainSource['lastOf']>[1],
  upTo: Position,
): Since {
  const event = source.lastOf(id, types, upTo);
  return event ? { at: event.time, position: event.position } : UNKNOWN;
}

function byCoolDown(source: ExplainSource, id: AccountId, coolDowns: CoolDowns, end: Position): Since {
  const coolDown = coolDowns.get(id);
  if (!coolDown) return UNKNOWN;
  const event = source.coolDownOf(id, coolDown.since, end);
  return { at: coolDown.since, position: event?.position, requestId: event?.requestId };
}

function explainedCandidate(candidate: Candidate, { usage, settings }: SelectInput, since: Since): ExplainedCandidate {
  const { accountId, exclusion, detail, until, planType, place, rank, tie } = candidate;
  const sample = usage.get(accountId)?.sample;
  const days = settings.preferEarlierResetAccounts && rank?.days !== UNKNOWN_DAYS ? rank?.days : undefined;
  return {
    account_id: accountId,
    eligible: exclusion === undefined,
    reason: exclusion ?? null,
    detail,
    since: since.at === undefined ? null : iso(since.at),
    until: until === null ? null : iso(until),
    by_request_id: since.requestId ?? null,
    since_position: since.position ?? null,
    plan: planType,
    place: place ?? null,
    used_percent_secondary: rank ? rank.secondary : (sample?.secondary?.usedPercent ?? null),
    used_percent_primary: rank ? rank.primary : (sample?.primary?.usedPercent ?? null),
    days_to_reset: days ?? null,
    tie_break: tie ?? null,
  };
}
