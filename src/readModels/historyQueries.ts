import type { Instant, Position } from '../domain/core/brands.ts';
import type { Actor } from '../eventLog/eventLog.ts';

/** Lists are alternatives; absent means no condition. */
export interface HistoryFilter {
  readonly subjects?: readonly string[];
  readonly types?: readonly string[];
  /** `operator`, `operator:<address>`, `session:<id>`, `apiKey:<id>`, `anonymous`, `cli`, `system`. */
  readonly actors?: readonly string[];
  /**
   * First and last moment that belong to the answer. An event belongs to the latest time up to it, as with `?at=`: a clock
   * that lagged does not scatter it.
   */
  readonly since?: Instant;
  readonly until?: Instant;
  /** A part of the sentence, of at least three characters, in any case; requests that went well are not searched. */
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
   * Where to go on; null when there is nothing more. A page can hold fewer entries than wanted and still go on: then so
   * many were looked at that the caller should not wait any longer.
   */
  readonly before: Position | null;
}

/** Newest first. */
export interface HistoryQueries {
  /**
   * @param before only events in front of this position; null for all
   * @param minPosition the answer knows everything up to there, or waits up to 1 s for it
   */
  page(filter: HistoryFilter, before: Position | null, limit: number, minPosition: Position): Promise<HistoryPage>;
}
