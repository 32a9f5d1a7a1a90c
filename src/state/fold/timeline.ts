import { type Instant, instant, type Position, position } from '../../domain/core/brands.ts';
import type { FoldedEvent } from './foldedEvent.ts';

/** Part of the log between two jumps of a clock; times go forward in it. */
export interface Stretch {
  /** Position before its first event. */
  readonly after: Position;
  /** When it began. */
  readonly from: Instant;
  /** The latest time of its events; an event of a node whose clock lags does not lower it. */
  readonly latest: Instant;
}

/** Which events belong to a past time: those up to `after`, and then while their latest time is not later, up to `until`. */
export interface PartOfLog {
  readonly after: Position;
  readonly until: Position;
}

/** Beyond it the oldest stretches are joined: only a clock that jumps without end has more. */
const MAX_STRETCHES = 200;
const BEFORE_ALL = instant(Number.MIN_SAFE_INTEGER);
const FIRST: Stretch = { after: position(0), from: BEFORE_ALL, latest: BEFORE_ALL };

/** The part of an event that tells the time. */
export type TimedEvent = Pick<FoldedEvent, 'type' | 'data' | 'position' | 'time'>;

/** The latest time after an event. @param latest before it */
export const latestAfter = (latest: Instant, event: TimedEvent): Instant => {
  const before = jumpIn(event)?.to ?? latest;
  return event.time > before ? event.time : before;
};

/**
 * The times at which the events of the log were written. A time means the last position that was written by then, also after
 * the clock of the machine jumped (docs/decisions/0055-history.md).
 */
export class Timeline {
  #stretches: Stretch[];

  constructor(stretches: readonly Stretch[] = [FIRST]) {
    this.#stretches = [...stretches];
  }

  /** As plain data. */
  get stretches(): readonly Stretch[] {
    return this.#stretches;
  }

  /** The latest time of any event since the last jump. */
  get latest(): Instant {
    return this.#last.latest;
  }

  /** Called for every event. */
  onFolded(event: TimedEvent): void {
    const jump = jumpIn(event);
    if (jump) {
      this.#stretches.push({ after: position(event.position - 1), from: jump.to, latest: jump.to });
      if (this.#stretches.length > MAX_STRETCHES) this.#joinOldest();
    }
    if (event.time > this.latest) this.#stretches[this.#stretches.length - 1] = { ...this.#last, latest: event.time };
  }

  /** @returns where to look for the events up to `time`: in the last stretch that includes it, or in all of the one before it */
  partAt(time: Instant): PartOfLog {
    const includes = ({ from, latest }: Stretch, index: number) =>
      from <= time && (time <= latest || index === this.#stretches.length - 1);
    let at = this.#stretches.findLastIndex(includes);
    if (at < 0) at = this.#stretches.findLastIndex(({ latest }) => latest < time);
    const { after } = this.#stretches[Math.max(0, at)] as Stretch;
    const next = this.#stretches[Math.max(0, at) + 1];
    return { after, until: next?.after ?? position(Number.MAX_SAFE_INTEGER) };
  }

  get #last(): Stretch {
    return this.#stretches.at(-1) as Stretch;
  }

  #joinOldest(): void {
    const [first, second, ...others] = this.#stretches as [Stretch, Stretch, ...Stretch[]];
    const latest = first.latest > second.latest ? first.latest : second.latest;
    this.#stretches = [{ ...first, latest }, ...others];
  }
}

const jumpIn = ({ type, data }: Pick<TimedEvent, 'type' | 'data'>): { readonly to: Instant } | undefined =>
  type === 'ClockJumped' ? (data as { to: Instant }) : undefined;
