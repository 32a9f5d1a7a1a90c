import { iso, type Position, position, type TeamId } from '../../domain/core/brands.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { explainAdmission } from './explainAdmission.ts';
import { explainChoices } from './explainChoices.ts';
import { explainCost } from './explainCost.ts';
import type { EndEvent, ExplainSource } from './explainSource.ts';
import type { ExplainedCaller, ExplainedEvent, Explanation } from './explanation.ts';

export interface ExplainOptions {
  readonly source: ExplainSource;
  /**
   * Resolves with the fold at a position, without pins and lengths of answers. Called in ascending order; the state may change
   * with the next call.
   */
  readonly stateAt: (position: Position) => Promise<HotState>;
}

/**
 * Explains one request from the log alone: the functions that took its decisions take them again from the state at their
 * moment. Depends on nothing but the log.
 */
export async function explainRequest(end: EndEvent, { source, stateAt }: ExplainOptions): Promise<Explanation> {
  const { data, type } = end;
  const named = new Set<Position>();
  const decidedAt = data.admission?.decidedAt ?? firstDecision(end);
  const before = await stateAt(decidedAt);
  const admission = explainAdmission(end, before);
  const caller = explainedCaller(end, before);
  const onNamed = (at: Position): void => void named.add(at);
  const choices = type === 'RequestCompleted' ? await explainChoices(end, { source, stateAt, onNamed }) : undefined;
  const cost = type === 'RequestCompleted' ? explainCost(data, await stateAt(end.position)) : null;
  const { attempts = [], noAccount = null } = choices ?? {};
  const first = attempts[0];
  return {
    request_id: data.requestId,
    outcome: outcomeOf(end),
    status: data.status,
    error_code: data.errorCode,
    error_message: data.errorMessage,
    account_id: type === 'RequestCompleted' ? data.accountId : null,
    requested_at: iso(data.requestedAt),
    route: data.route,
    model: data.model,
    reasoning_effort: data.effort,
    latency_ms: data.latencyMs,
    first_byte_ms: type === 'RequestCompleted' ? data.firstByteMs : null,
    caller,
    pin: explainedPin(end, source, first?.choice.decided_at),
    admission,
    candidates: (noAccount ?? attempts.at(-1)?.choice)?.candidates ?? [],
    no_account: noAccount,
    attempts,
    cost,
    events: explainedEvents(end, source, decidedAt, named),
  };
}

/** The position of the first decision about a request that no limit admitted. */
function firstDecision({ type, data, position: at }: EndEvent): Position {
  if (type === 'RequestRefused') return data.decidedAt ?? position(at - 1);
  return data.attempts[0]?.decidedAt ?? data.refusal?.decidedAt ?? position(at - 1);
}

function outcomeOf({ type, data }: EndEvent): Explanation['outcome'] {
  if (type === 'RequestRefused' || data.attempts.length === 0) return 'refused';
  return data.status === '200' && data.errorCode === null ? 'served' : 'failed';
}

function explainedCaller({ data: { keyId, owner, team } }: EndEvent, hot: HotState): ExplainedCaller {
  const key = keyId === null ? undefined : hot.apiKeys.get(keyId);
  return {
    kind: keyId === null ? 'anonymous' : 'api_key',
    key_id: keyId,
    key_name: key?.name ?? null,
    allowed_models: key?.allowedModels ?? null,
    regions: key?.regions ?? null,
    expires_at: key && key.expiresAt !== null ? iso(key.expiresAt) : null,
    owner: owner ?? null,
    team: team ?? null,
    team_name: (team !== undefined && hot.teams.get(team as TeamId)?.name) || null,
  };
}

function explainedPin({ type, data }: EndEvent, source: ExplainSource, decidedAt = 0): Explanation['pin'] {
  if (type !== 'RequestCompleted' || !data.pin) return null;
  const { digest, isFallback, source: named, resolvedTo } = data.pin;
  const known = resolvedTo ?? null;
  return {
    conversation: digest,
    source: named ?? null,
    account_id: resolvedTo === undefined ? source.pinOf(digest, position(decidedAt)) : known,
    is_fallback: isFallback,
  };
}

/** Its own events, and those that decisions name: one that a decision names may be much older. */
function explainedEvents(
  end: EndEvent,
  source: ExplainSource,
  after: Position,
  named: ReadonlySet<Position>,
): ExplainedEvent[] {
  const found = new Map<Position, RecordedEvent>();
  for (const event of source.eventsOf(end.data.requestId, after, end.position)) found.set(event.position, event);
  for (const event of source.at([...named])) found.set(event.position, event);
  found.set(end.position, end);
  return [...found.values()]
    .toSorted((a, b) => a.position - b.position)
    .map(({ position: at, type, time, stream }) => ({ position: at, type, time: iso(time), stream }));
}
