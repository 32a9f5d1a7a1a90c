import { setTimeout as delay } from 'node:timers/promises';
import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import {
  type Actor,
  type AppendOutcome,
  type EventLog,
  type EventToAppend,
  ID_TAKEN,
  NO_STREAM,
} from '../../eventLog/eventLog.ts';
import type { Subject } from '../fold/subjects.ts';
import type { HotRunner } from '../hotRunner.ts';
import { waitUntilApplied } from './waitUntilApplied.ts';

/** Who asked, and the id that joins what follows from it. */
export interface Cause {
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId?: string;
  /** The caller may send this write again and means it once. */
  readonly write?: RepeatableWrite;
}

/** What makes a repeat recognisable: ids that derive from the caller's key, remembered by nobody but the log. */
export interface RepeatableWrite {
  /** Id of the write's nth event. */
  readonly eventId: (index: number) => string;
  /** Id of what the write makes. */
  readonly resourceId: string;
  /** Stands for all that was asked; stored with the events as their cause. */
  readonly commandId: () => string;
}

export interface Handled<State> {
  readonly state: State;
  readonly events: readonly DomainEvent[];
  /** Position of the last event, or of the fold when nothing had to change. */
  readonly position: Position;
  /** The same write was made before; nothing was written now. */
  readonly isRepeat?: true;
}

/**
 * The only way to change anything: decide from the subject's hot state, append at its revision, wait until this node has
 * folded the write.
 * @throws Refusal of the rule, or `log_unavailable` when the log did not take the events, or took them and this node lags
 */
export type HandleCommand = <Id, State, Command, Event extends DomainEvent>(
  subject: Subject<Id, State, Command, Event>,
  id: Id,
  command: Command,
  cause: Cause,
) => Promise<Handled<State>>;

const MAX_DECISIONS = 5;
const MAX_REPEATS = 4;
/** Behind a store that never answers one append takes five seconds; whoever asked waits for at most two of them. */
const PATIENCE_MS = 5_000;

export function createCommandHandler({
  log,
  hot,
  now = () => instant(Date.now()),
}: {
  log: EventLog;
  hot: HotRunner;
  now?: () => Instant;
}): HandleCommand {
  return async (subject, id, command, cause) => {
    const stream = subject.streamOf(id);
    const earlier = await positionOfRepeated(log, stream, cause);
    if (earlier !== undefined) {
      await waitUntilApplied(hot, earlier);
      return { state: subject.stateIn(hot.state, id), events: [], position: earlier, isRepeat: true };
    }
    for (let decision = 1; ; decision++) {
      const revision = hot.state.revisions.get(stream) ?? NO_STREAM;
      const time = now();
      const events = subject.decider.decide(command, subject.stateIn(hot.state, id), { now: time });
      if (events.length === 0) {
        return { state: subject.stateIn(hot.state, id), events, position: hot.state.position };
      }
      const outcome = await appendFirmly(log, stream, revision, toAppend(events, time, cause));
      switch (outcome.kind) {
        case 'committed':
          await waitUntilApplied(hot, outcome.position);
          return { state: subject.stateIn(hot.state, id), events, position: outcome.position };
        case 'conflict':
          if (decision === MAX_DECISIONS) refuse('conflict', { stream });
          // Somebody else changed the subject: their events arrive by the subscription.
          await delay(decision * 5);
          break;
        case 'rejected':
          if (cause.write && outcome.reason === ID_TAKEN) refuse('idempotency_key_reused');
          return refuse('log_unavailable', { reason: outcome.reason });
        case 'unknown':
          return refuse('log_unavailable', { reason: outcome.error.message, isUncertain: true });
      }
    }
  };
}

/**
 * Where a write stands in a stream that was made under the same key before.
 * @throws Refusal `idempotency_key_reused` when it asked for something else
 */
export async function positionOfRepeated(
  log: EventLog,
  stream: string,
  { write }: Cause,
): Promise<Position | undefined> {
  if (!write) return undefined;
  const id = write.eventId(0);
  for await (const event of log.readStream(stream)) {
    if (event.id !== id) continue;
    return event.metadata.causationId === write.commandId() ? event.position : refuse('idempotency_key_reused');
  }
  return undefined;
}

function toAppend(events: readonly DomainEvent[], time: Instant, cause: Cause): EventToAppend[] {
  return events.map((event, index) => ({
    ...(event as KnownEvent),
    id: cause.write?.eventId(index) ?? newEventId(),
    time,
    actor: cause.actor,
    correlationId: cause.correlationId,
    causationId: cause.causationId ?? cause.write?.commandId() ?? null,
  }));
}

/** Repeats an append of unknown outcome with the same ids; never decides again (docs/decisions/0004-append-outcomes.md). */
async function appendFirmly(
  log: EventLog,
  stream: string,
  revision: number,
  events: readonly EventToAppend[],
): Promise<AppendOutcome> {
  const until = performance.now() + PATIENCE_MS;
  for (let repeat = 0; ; repeat++) {
    const outcome = await log.append(stream, revision, events);
    if (outcome.kind !== 'unknown' || repeat === MAX_REPEATS || performance.now() > until) return outcome;
    await delay(20 * 2 ** repeat);
  }
}
