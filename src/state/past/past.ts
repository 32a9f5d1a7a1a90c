import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import { upcast } from '../../domain/eventTypes.ts';
import type { EventLog, RecordedEvent, StoredEvent } from '../../eventLog/eventLog.ts';
import { type Checkpoint, copyOf } from '../fold/checkpoints.ts';
import type { HotState } from '../fold/hotState.ts';
import type { HotRunner } from '../hotRunner.ts';

/** A position stands for the moment right after its event; a time for the last position that is not later. */
export type When = { readonly position: Position } | { readonly time: Instant };

/** Everything as it was: nothing in it changes any more, and nobody may change it. */
export interface Moment {
  readonly state: HotState;
  /** The clock to read it by. */
  readonly now: Instant;
}

/** An event with the fold right before and right after it. */
export interface Step {
  readonly event: StoredEvent;
  readonly before: HotState;
  readonly after: HotState;
}

export interface Past {
  /** @param when not beyond what this node has folded */
  at(when: When): Promise<Moment>;
  /** @param position from 1 to what this node has folded */
  step(position: Position): Promise<Step>;
}

/** Between two turns of the event loop: requests must not wait for somebody who looks back. */
const EVENTS_A_TURN = 256;
const MOMENTS_KEPT = 8;

/** Shows earlier states by folding the log on from the nearest checkpoint, one fold at a time. */
export function createPast({ log, hot }: { log: EventLog; hot: HotRunner }): Past {
  /** A page asks for several resources of one moment: the last few are kept. */
  const kept = new Map<string, Promise<Moment>>();
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };

  /** Folds on while `belongs` says so of the next event and of the latest time with it. */
  async function fold(
    from: Checkpoint,
    belongs: (position: Position, latest: Instant) => boolean,
  ): Promise<Checkpoint> {
    const state = copyOf(from.state);
    let { latest } = from;
    for await (const event of log.readAll(state.position)) {
      const next = event.time > latest ? event.time : latest;
      if (!belongs(event.position, next)) break;
      state.apply(recorded(event));
      latest = next;
      if (event.position % EVENTS_A_TURN === 0) await nextTurn();
    }
    return { state, latest };
  }

  const foldTo = (wanted: Position) => fold(hot.checkpoints.atPosition(wanted), (position) => position <= wanted);

  async function momentAt(when: When): Promise<Moment> {
    if ('time' in when) {
      const { state } = await fold(hot.checkpoints.atTime(when.time), (_position, latest) => latest <= when.time);
      return { state, now: when.time };
    }
    const { state, latest } = await foldTo(when.position);
    return { state, now: latest < 0 ? instant(0) : latest };
  }

  /** An event of this very millisecond may still come: such a moment is not over. */
  const isOver = (when: When) => !('time' in when) || when.time < hot.checkpoints.latest;

  return {
    at(when) {
      const name = JSON.stringify(when);
      const known = kept.get(name);
      if (known) return known;
      const moment = inTurn(() => momentAt(when));
      if (isOver(when)) {
        kept.set(name, moment);
        moment.catch(() => kept.delete(name));
        if (kept.size > MOMENTS_KEPT) kept.delete(kept.keys().next().value as string);
      }
      return moment;
    },
    step: (position) =>
      inTurn(async () => {
        const { state: before } = await foldTo((position - 1) as Position);
        for await (const event of log.readAll(before.position)) {
          const after = copyOf(before);
          after.apply(recorded(event));
          return { event, before, after };
        }
        throw new Error(`the log has no event at ${position}`);
      }),
  };
}

function recorded({ type, data, position, time, stream, revision, metadata }: StoredEvent): RecordedEvent {
  const current = upcast(type, metadata.schemaVersion, data);
  return { type, data: current, position, time, stream, revision } as RecordedEvent;
}
