import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Instant, instant, type Position, position } from '../domain/core/brands.ts';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import type { LogBreak } from '../eventLog/continuity.ts';
import type { RecordedEvent } from '../eventLog/eventLog.ts';
import { createReader, type Page, type Reader } from '../eventLog/sqlite/reader.ts';
import type { HotState } from '../state/fold/hotState.ts';
import { firstPositionSince } from './firstPositionSince.ts';
import { continueTo, firstFoldOf, type LogFiles } from './logFiles.ts';
import type { DecisionKind, Difference } from './recordedDecision.ts';
import { repeatLate } from './repeatLate.ts';
import { type LateDecision, type Repeated, Replayer } from './replayer.ts';
import { RequestCounter } from './requestCounter.ts';

export interface ReplayLogOptions extends LogFiles {
  /** Requests that were made from then on; by default all. */
  readonly since?: Instant | undefined;
  /** Requests that were made until then, inclusive; by default all. */
  readonly until?: Instant | undefined;
  /** Called often, with the position that was reached and the last one. */
  readonly onProgress?: (reached: Position, of: Position) => void;
  /** Called with the first event that does not continue the log before it: what was decided behind it may not repeat. */
  readonly onBroken?: (found: LogBreak) => void;
  readonly signal?: AbortSignal | undefined;
  /** See `Replayer`. */
  readonly lag?: number;
}

/** Follows the pass of a replay. */
export interface PassFollower {
  /** @param hot a fold of its own of the events before the first one @param head the last position that will be read */
  readonly onBegin: (hot: HotState, head: Position) => void;
  readonly onEvent: (event: RecordedEvent) => void;
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
  /** Requests of the period that were imported from another program: svc took no decision about them. Absent when there are none. */
  readonly imported?: number;
  /** Decisions that gave the recorded result. */
  readonly repeated: number;
  /** Decisions that were taken from a state which is archived, so that they cannot be repeated. */
  readonly archived: number;
  readonly differences: readonly Difference[];
}

/** Decisions about the first requests of a period were taken at most so many events before them, but for very long streams. */
const MARGIN = 20_000;
export const MIN_TIME = instant(Number.MIN_SAFE_INTEGER);
export const MAX_TIME = instant(Number.MAX_SAFE_INTEGER);

/** A replay with what another pass over the same events needs. */
export interface RepeatedLog {
  readonly result: ReplayResult;
  /** The last position that was read. */
  readonly head: Position;
  /** The decisions that were recorded more than `lag` events after they were taken. */
  readonly late: readonly LateDecision[];
}

/**
 * Repeats every decision about the requests of a period, from the log's file alone. Reads the log once, and a second time
 * only if a decision was recorded more than `lag` events after it was taken.
 * @throws as reading the log does; AbortError
 */
export const replayLog = async (options: ReplayLogOptions): Promise<ReplayResult> => (await repeatLog(options)).result;

/** Where a pass over the requests of a period begins: the fold of the events before them. @throws as `continueTo` does */
export async function foldBefore(
  files: LogFiles,
  since: Instant,
  head: Position,
  onBroken?: (found: LogBreak) => void,
): Promise<HotState> {
  const first = firstPositionSince(files.location, since) ?? head + 1;
  const fold = firstFoldOf(files);
  await continueTo(fold, files, position(Math.max(fold.state.position, first - 1 - MARGIN)), onBroken);
  return fold.state;
}

/** As `replayLog`. @param follower gets the same events, which are read once for both */
export async function repeatLog(options: ReplayLogOptions, follower?: PassFollower): Promise<RepeatedLog> {
  const { location, archive, since = MIN_TIME, until = MAX_TIME, onProgress, onBroken, signal, lag } = options;
  const reader = createReader(location);
  try {
    const head = reader.head();
    const counter = new RequestCounter(since, until);
    const hot = await foldBefore(options, since, head, onBroken);
    follower?.onBegin(await foldBefore(options, since, head), head);
    const isWanted = (event: RecordedEvent) => counter.count(event);
    const replayer = new Replayer({ hot, isWanted, ...(lag !== undefined && { lag }) });
    const requireNext = gapFinder(hot.position, archive ?? archivePathOf(location), onBroken);
    for (const { events, failure } of pagesOf(reader, hot.position, head)) {
      signal?.throwIfAborted();
      for (const event of events) {
        requireNext(event);
        replayer.add(event);
        follower?.onEvent(event);
      }
      if (failure) throw failure;
      onProgress?.(events.at(-1)?.position ?? head, head);
      await nextTurn();
    }
    const { late, ...found } = replayer.end();
    const again = late.length > 0 ? await repeatLate(options, late, signal) : undefined;
    if (again) addTo(found, again);
    const { counts, repeated, differences } = found;
    const result: ReplayResult = {
      ...counter.counts,
      choices: counts.choice,
      admissions: counts.admission,
      repeated,
      archived: again?.archived ?? 0,
      differences,
    };
    return { result, head, late };
  } finally {
    reader.close();
  }
}

/** Called with each event: finds the first position that the log has not, unless it is archived. */
function gapFinder(
  after: Position,
  archive: string,
  onBroken: ((found: LogBreak) => void) | undefined,
): (event: RecordedEvent) => void {
  let last: number = after;
  let isFound = onBroken === undefined;
  return ({ position: at, stream, revision }) => {
    if (!isFound && at !== last + 1 && !isArchivedAt(last + 1, archive)) {
      isFound = true;
      onBroken?.({ position: at, stream, revision, reason: `follows position ${last}` });
    }
    last = at;
  };
}

function isArchivedAt(at: number, path: string): boolean {
  const archived = ArchivedEvents.open(path);
  try {
    return archived?.segmentAt(position(at)) !== undefined;
  } finally {
    archived?.close();
  }
}

/** The events after a position, page by page. */
export function* pagesOf(reader: Reader, after: Position, upTo: Position): Generator<Page> {
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
