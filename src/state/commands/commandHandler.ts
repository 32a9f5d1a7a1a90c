import { setTimeout as delay } from 'node:timers/promises';
import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { KnownEvent } from '../../domain/eventTypes.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
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

/** Who issued a command, and the ids that link the events to it. */
export interface Cause {
  readonly actor: Actor;
  readonly correlationId: string;
  readonly causationId?: string;
  /** Present when the client may send the same write again and it must take effect once. */
  readonly write?: RepeatableWrite;
  /** Called when a command has decided on a change, before it is appended. @throws Refusal when it may not be made now */
  readonly authorize?: () => void;
}

/** Makes a repeated write recognisable: ids derived from the client's idempotency key. Only the log remembers them. */
export interface RepeatableWrite {
  /** Id of the write's event at this index. */
  readonly eventId: (index: number) => string;
  /** Id of the resource that the write creates. */
  readonly resourceId: string;
  /** Digest of the whole command, stored with the events as their causation id. */
  readonly commandId: () => string;
}

export interface CommandResult<State> {
  readonly state: State;
  readonly events: readonly DomainEvent[];
  /** Position of the last event, or of the fold when the command changed nothing. */
  readonly position: Position;
  /** The same write was made before; this call wrote nothing. */
  readonly isRepeat?: true;
}

/**
 * The only way to change state: decides from the subject's hot state, appends at its revision, and waits until this node has
 * folded the events.
 * @throws Refusal of the decider; `change_refused` when the log can never keep the change; `log_unavailable` when the append
 *   failed otherwise, or when it succeeded and this node lags behind
 */
export type HandleCommand = <Id, State, Command, Event extends DomainEvent>(
  subject: Subject<Id, State, Command, Event>,
  id: Id,
  command: Command,
  cause: Cause,
) => Promise<CommandResult<State>>;

const MAX_DECISIONS = 5;
const MAX_RETRIES = 4;
/** An append to a store that does not respond takes 5 s; a client waits for at most two of them. */
const MAX_APPEND_MS = 5_000;

/** Creates the handler of commands for a log and the hot state folded from it. */
export function createCommandHandler({
  log,
  hot,
  now = () => instant(Date.now()),
  windowsNow = () => windowsTime(hot.state.windowsClock, now()),
}: {
  log: EventLog;
  hot: HotRunner;
  now?: () => Instant;
  windowsNow?: () => Instant;
}): HandleCommand {
  return async (subject, id, command, cause) => {
    const stream = subject.streamOf(id);
    const earlier = await findRepeat(log, stream, cause);
    if (earlier !== undefined) {
      await waitUntilApplied(hot, earlier);
      return { state: subject.stateIn(hot.state, id), events: [], position: earlier, isRepeat: true };
    }
    for (let decision = 1; ; decision++) {
      const revision = hot.state.revisions.get(stream) ?? NO_STREAM;
      const time = now();
      const events = subject.decider.decide(command, subject.stateIn(hot.state, id), {
        now: time,
        windowsNow: windowsNow(),
      });
      if (events.length === 0) {
        return { state: subject.stateIn(hot.state, id), events, position: hot.state.position };
      }
      cause.authorize?.();
      const outcome = await appendWithRetries(log, stream, revision, toAppend(events, time, cause));
      switch (outcome.kind) {
        case 'committed':
          await waitUntilApplied(hot, outcome.position);
          return { state: subject.stateIn(hot.state, id), events, position: outcome.position };
        case 'conflict':
          if (decision === MAX_DECISIONS) refuse('conflict', { stream });
          // Another writer changed the subject; its events arrive through the subscription.
          await delay(decision * 5);
          break;
        case 'rejected':
          if (cause.write && outcome.reason === ID_TAKEN) refuse('idempotency_key_reused');
          return refuse(outcome.isLogFine ? 'change_refused' : 'log_unavailable', { reason: outcome.reason });
        case 'unknown':
          return refuse('log_unavailable', {
            reason: outcome.error.message,
            isUncertain: outcome.wasSent !== false,
          });
      }
    }
  };
}

/**
 * Finds an earlier write with the same idempotency key.
 * @returns its position; undefined when there is none
 * @throws Refusal `idempotency_key_reused` when the earlier write was another command
 */
export async function findRepeat(log: EventLog, stream: string, { write }: Cause): Promise<Position | undefined> {
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

/**
 * Repeats an append of unknown outcome with the same ids; it never decides again (docs/decisions/0004-append-outcomes.md).
 * The outcome is `wasSent: false` only if that is true of every attempt.
 */
async function appendWithRetries(
  log: EventLog,
  stream: string,
  revision: number,
  events: readonly EventToAppend[],
): Promise<AppendOutcome> {
  const deadline = performance.now() + MAX_APPEND_MS;
  let wasSent = false;
  for (let retry = 0; ; retry++) {
    const outcome = await log.append(stream, revision, events);
    if (outcome.kind !== 'unknown') return outcome;
    wasSent ||= outcome.wasSent !== false;
    if (retry === MAX_RETRIES || performance.now() > deadline) {
      return { kind: 'unknown', error: outcome.error, ...(!wasSent && { wasSent }) };
    }
    await delay(20 * 2 ** retry);
  }
}
