import type { Stretch } from '../domain/clock/stretches.ts';
import type { Instant, Position } from '../domain/core/brands.ts';
import type { Actor } from '../eventLog/eventLog.ts';
import type { ArchivedDay } from './archivedDays.ts';
import type { UpTo } from './upTo.ts';

/** The values of a list are alternatives; an absent list is no condition. */
export interface HistoryFilter {
  readonly subjects?: readonly string[];
  readonly types?: readonly string[];
  /** `operator`, `operator:<address>`, `session:<id>`, `apiKey:<id>`, `anonymous`, `cli`, `system`. */
  readonly actors?: readonly string[];
  /**
   * First and last moment of the result. An event counts with the latest time of all events up to it since the last jump of a
   * clock, as with `?at=`, so that a lagging clock does not put it out of order.
   */
  readonly since?: Instant;
  readonly until?: Instant;
  /** Only events after this position. */
  readonly after?: Position;
  /** The parts of the log between jumps of clocks, by which `since` and `until` become positions; absent when none has jumped. */
  readonly stretches?: readonly Stretch[];
  /** A part of the sentence: at least three characters, ignoring case. Successful requests are not searched. */
  readonly search?: string;
}

export interface HistoryEntry {
  readonly position: Position;
  readonly time: Instant;
  readonly type: string;
  readonly subject: string;
  readonly actor: Actor;
  readonly sentence: string;
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /**
   * Cursor of the next page; null when there is none. A page can have a cursor although it has fewer entries than its
   * limit: the query stops after it has examined a bounded number of events.
   */
  readonly before: Position | null;
  /** Days in the range of the filter whose requests are archived, and not among the entries. */
  readonly archived?: readonly ArchivedDay[];
}

/** Newest first. */
export interface HistoryQueries {
  /**
   * @param before only events before this position; null for all
   * @param upTo the result includes all events up to there, or the query waits up to 1 s for them; with `exactly` it includes
   * no later ones
   */
  page(filter: HistoryFilter, before: Position | null, limit: number, upTo: UpTo): Promise<HistoryPage>;
}
