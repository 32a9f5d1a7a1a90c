import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import { upcast } from '../../domain/eventTypes.ts';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import type { SegmentHeader } from '../../eventLog/archive/segment.ts';
import type { EventLog, RecordedEvent, StoredEvent } from '../../eventLog/eventLog.ts';
import { type Checkpoint, copyState } from '../fold/checkpoints.ts';
import { HotState } from '../fold/hotState.ts';
import { latestAfter } from '../fold/timeline.ts';
import type { HotRunner } from '../hotRunner.ts';
import { sealedFolds } from '../snapshots/sealedFold.ts';

/** A position means the state right after its event; a time means the last position that was written by then. */
export type MomentQuery = { readonly position: Position } | { readonly time: Instant };

/** The state at a past moment. It must not be changed. */
export interface Moment {
  readonly state: HotState;
  /** The time to evaluate the state at. */
  readonly now: Instant;
}

/** An event with the states right before and right after it. */
export interface EventStep {
  readonly event: StoredEvent;
  readonly before: HotState;
  readonly after: HotState;
}

export interface Past {
  /** @param when not beyond what this node has folded */
  at(when: MomentQuery): Promise<Moment>;
  /** @param position from 1 to what this node has folded */
  step(position: Position): Promise<EventStep>;
  /**
   * Checks that sums can be told as of a position: archived days have sums of whole days only, so none may have later events.
   * @throws MomentArchived
   */
  requireSums(position: Position): void;
}

/** Events folded per turn of the event loop, so that requests do not wait for a fold of the past. */
const EVENTS_PER_TURN = 256;
const MAX_CACHED_MOMENTS = 8;
const BEGINNING: Checkpoint = { state: new HotState(), latest: instant(Number.MIN_SAFE_INTEGER) };

/** What a past state would be computed from is archived. */
export class MomentArchived extends Error {
  override readonly name = 'MomentArchived';
  readonly position: number;
  readonly day: string;
  readonly file: string;
  constructor(position: number, { day, file }: SegmentHeader) {
    super(`The event at position ${position} is archived in ${file.name}.`);
    this.position = position;
    this.day = day;
    this.file = file.name;
  }
}

export interface PastOptions {
  readonly log: EventLog;
  readonly hot: HotRunner;
  /** The log's file, beside which `archive.sqlite` is; without it nothing is archived. */
  readonly logPath?: string;
}

/** Computes past states by folding the log from the nearest checkpoint, one fold at a time. */
export function createPast({ log, hot, logPath }: PastOptions): Past {
  /** A dashboard page requests several resources of one moment, so the last few moments are cached. */
  const cached = new Map<string, Promise<Moment>>();
  let lastFold: Promise<unknown> = Promise.resolve();

  const oneAtATime = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = lastFold.then(work);
    lastFold = result.catch(() => undefined);
    return result;
  };

  /** @param belongs whether to fold the event at this position, given the latest time up to and including it, since a jump */
  async function fold(
    from: Checkpoint,
    belongs: (position: Position, latest: Instant) => boolean,
  ): Promise<Checkpoint> {
    const begin = belongs(from.state.position, from.latest) ? from : sealedBefore(belongs);
    const state = copyState(begin.state);
    let { latest } = begin;
    for await (const event of log.readAll(state.position)) {
      const next = (state.position + 1) as Position;
      if (event.position > next && belongs(next, latest)) requireRows(next);
      const current = recorded(event);
      const later = latestAfter(latest, current);
      if (!belongs(event.position, later)) break;
      state.apply(current);
      latest = later;
      if (event.position % EVENTS_PER_TURN === 0) await nextTurn();
    }
    return { state, latest };
  }

  /** The last sealed state of a moment before the checkpoints that the fold has kept. */
  function sealedBefore(belongs: (position: Position, latest: Instant) => boolean): Checkpoint {
    for (const { state, checkpoints } of logPath === undefined ? [] : sealedFolds(logPath)) {
      if (belongs(state.position, checkpoints.latest)) return { state, latest: checkpoints.latest };
    }
    return BEGINNING;
  }

  /** @throws MomentArchived when the event at a position, which has no row, is archived */
  function requireRows(position: number): void {
    refuseArchived(() => position);
  }

  function refuseArchived(positionIn: (archived: ArchivedEvents) => number | undefined): void {
    const archived = logPath === undefined ? undefined : ArchivedEvents.open(archivePathOf(logPath));
    try {
      const position = archived && positionIn(archived);
      const segment = position === undefined ? undefined : archived?.segmentAt(position);
      if (position !== undefined && segment) throw new MomentArchived(position, segment.header);
    } finally {
      archived?.close();
    }
  }

  const foldTo = (wanted: Position) => fold(hot.checkpoints.atPosition(wanted), (position) => position <= wanted);

  async function momentAt(when: MomentQuery): Promise<Moment> {
    if ('time' in when) {
      const { part, checkpoint } = hot.checkpoints.atTime(when.time);
      const { state } = await fold(
        checkpoint,
        (position, latest) => position <= part.after || (position <= part.until && latest <= when.time),
      );
      return { state, now: when.time };
    }
    const { state, latest } = await foldTo(when.position);
    return { state, now: latest < 0 ? instant(0) : latest };
  }

  /** An event of the current millisecond may still arrive, so such a moment is not final. */
  const isFinal = (when: MomentQuery) => !('time' in when) || when.time < hot.checkpoints.latest;

  return {
    at(when) {
      const key = JSON.stringify({ ...when, jumps: hot.checkpoints.stretches.length });
      const known = cached.get(key);
      if (known) return known;
      const moment = oneAtATime(() => momentAt(when));
      if (isFinal(when)) {
        cached.set(key, moment);
        moment.catch(() => cached.delete(key));
        if (cached.size > MAX_CACHED_MOMENTS) cached.delete(cached.keys().next().value as string);
      }
      return moment;
    },
    requireSums: (position) =>
      refuseArchived((archived) => (archived.segmentAt(position + 1) ? position + 1 : archived.firstAfter(position))),
    step: (position) =>
      oneAtATime(async () => {
        requireRows(position);
        const { state: before } = await foldTo((position - 1) as Position);
        for await (const event of log.readAll(before.position)) {
          const after = copyState(before);
          after.apply(recorded(event));
          return { event, before, after };
        }
        throw new Error(`the log has no event at ${position}`);
      }),
  };
}

/** A stored event in the shape that the fold needs. */
export function recorded({ type, data, position, time, stream, revision, metadata }: StoredEvent): RecordedEvent {
  const current = upcast(type, metadata.schemaVersion, data);
  return { type, data: current, position, time, stream, revision } as RecordedEvent;
}
