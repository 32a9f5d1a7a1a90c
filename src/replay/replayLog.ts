import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Instant, instant, type Position, position } from '../domain/core/brands.ts';
import type { RecordedEvent } from '../eventLog/eventLog.ts';
import { createReader, type Page, type Reader } from '../eventLog/sqlite/reader.ts';
import { firstPositionSince } from './firstPositionSince.ts';
import { continueTo, firstFoldOf, type LogFiles } from './logFiles.ts';
import type { DecisionKind, Difference } from './recordedDecision.ts';
import { repeatLate } from './repeatLate.ts';
import { type Repeated, Replayer } from './replayer.ts';
import { RequestCounter } from './requestCounter.ts';

export interface ReplayLogOptions extends LogFiles {
  /** Requests that were made from then on; by default all. */
  readonly since?: Instant | undefined;
  /** Requests that were made until then, inclusive; by default all. */
  readonly until?: Instant | undefined;
  /** Called often, with the position that was reached and the last one. */
  readonly onProgress?: (reached: Position, of: Position) => void;
  readonly signal?: AbortSignal | undefined;
  /** See `Replayer`. */
  readonly lag?: number;
}

/** What a replay found. */
export interface ReplayResult {
  /** Requests of the period in the request log, refused ones included. */
  readonly requests: number;
  readonly choices: number;
  readonly admissions: number;
  /** Requests that svc itself refused. */
  readonly refusals: number;
  /** Refusals beyond the first ones of a minute: only their number is in the log, by code. */
  readonly countedOnly: number;
  /** Decisions that gave the recorded result. */
  readonly repeated: number;
  /** Decisions that were taken from a state which is archived, so that they cannot be repeated. */
  readonly archived: number;
  readonly differences: readonly Difference[];
}

/** Decisions about the first requests of a period were taken at most so many events before them, but for very long streams. */
const MARGIN = 20_000;
const MIN_TIME = instant(Number.MIN_SAFE_INTEGER);
const MAX_TIME = instant(Number.MAX_SAFE_INTEGER);

/**
 * Repeats every decision about the requests of a period, from the log's file alone. Reads the log once, and a second time
 * only if a decision was recorded more than `lag` events after it was taken.
 * @throws as reading the log does; AbortError
 */
export async function replayLog(options: ReplayLogOptions): Promise<ReplayResult> {
  const { location, since = MIN_TIME, until = MAX_TIME, onProgress, signal, lag } = options;
  const reader = createReader(location);
  try {
    const head = reader.head();
    const counter = new RequestCounter(since, until);
    const first = firstPositionSince(location, since) ?? head + 1;
    const fold = firstFoldOf(options);
    await continueTo(fold, options, position(Math.max(fold.state.position, first - 1 - MARGIN)));
    const isWanted = (event: RecordedEvent) => counter.count(event);
    const replayer = new Replayer({ hot: fold.state, isWanted, ...(lag !== undefined && { lag }) });
    for (const { events, failure } of pagesOf(reader, fold.state.position, head)) {
      signal?.throwIfAborted();
      for (const event of events) replayer.add(event);
      if (failure) throw failure;
      onProgress?.(events.at(-1)?.position ?? head, head);
      await nextTurn();
    }
    const { late, ...found } = replayer.end();
    const again = late.length > 0 ? await repeatLate(options, late, signal) : undefined;
    if (again) addTo(found, again);
    const { counts, repeated, differences } = found;
    return {
      ...counter.counts,
      choices: counts.choice,
      admissions: counts.admission,
      repeated,
      archived: again?.archived ?? 0,
      differences,
    };
  } finally {
    reader.close();
  }
}

function* pagesOf(reader: Reader, after: Position, upTo: Position): Generator<Page> {
  for (let due = after; due < upTo; ) {
    const page = reader.page(due, upTo);
    yield page;
    const last = page.events.at(-1);
    if (!last) return;
    due = last.position;
  }
}

function addTo(found: Repeated, late: Repeated): void {
  for (const kind of Object.keys(late.counts) as DecisionKind[]) found.counts[kind] += late.counts[kind];
  found.repeated += late.repeated;
  found.differences.push(...late.differences);
}
