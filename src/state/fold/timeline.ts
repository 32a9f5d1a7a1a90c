import { FIRST_STRETCH, type PartOfLog, partAt, type Stretch } from '../../domain/clock/stretches.ts';
import { type Instant, position } from '../../domain/core/brands.ts';
import type { FoldedEvent } from './foldedEvent.ts';

/** Beyond it the oldest stretches are joined: only a clock that jumps without end has more. */
const MAX_STRETCHES = 200;

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
  /** All but the last one. */
  #ended: Stretch[];
  #last: Stretch;
  /** The latest time of the last stretch: every event moves it. */
  #latest: Instant;

  constructor(stretches: readonly Stretch[] = [FIRST_STRETCH]) {
    this.#ended = stretches.slice(0, -1);
    this.#last = stretches.at(-1) as Stretch;
    this.#latest = this.#last.latest;
  }

  /** As plain data. */
  get stretches(): readonly Stretch[] {
    return [...this.#ended, { ...this.#last, latest: this.#latest }];
  }

  /** The latest time of any event since the last jump. */
  get latest(): Instant {
    return this.#latest;
  }

  /** Called for every event. */
  onFolded(event: TimedEvent): void {
    const jump = jumpIn(event);
    if (jump) this.#begin({ after: position(event.position - 1), from: jump.to, latest: jump.to });
    if (event.time > this.#latest) this.#latest = event.time;
  }

  /** @returns where to look for the events up to `time` */
  partAt(time: Instant): PartOfLog {
    return partAt(this.stretches, time);
  }

  #begin(stretch: Stretch): void {
    this.#ended.push({ ...this.#last, latest: this.#latest });
    this.#last = stretch;
    this.#latest = stretch.latest;
    if (this.#ended.length >= MAX_STRETCHES) this.#joinOldest();
  }

  #joinOldest(): void {
    const [first, second, ...others] = this.#ended as [Stretch, Stretch, ...Stretch[]];
    const latest = first.latest > second.latest ? first.latest : second.latest;
    this.#ended = [{ ...first, latest }, ...others];
  }
}

const jumpIn = ({ type, data }: Pick<TimedEvent, 'type' | 'data'>): { readonly to: Instant } | undefined =>
  type === 'ClockJumped' ? (data as { to: Instant }) : undefined;
