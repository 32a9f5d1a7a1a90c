import { actorLabels, requestIdOf, sentenceOf, subjectOf } from '../../../projections/history.ts';
import { type Instant, instant, type Position, position } from '../../domain/core/brands.ts';
import { type KnownEvent, upcast } from '../../domain/eventTypes.ts';
import type { EventMetadata } from '../../eventLog/eventLog.ts';
import type { HistoryEntry, HistoryFilter, HistoryPage } from '../historyQueries.ts';
import { ALL_EVENTS_LABEL, actorLabel, type HistoryIndex, subjectLabel } from './historyIndex.ts';
import type { LogReader } from './logReader.ts';
import type { RequestIdIndex } from './requestIdIndex.ts';

/** The sources of a page. */
export interface HistorySources {
  readonly index: HistoryIndex;
  readonly requestIds: RequestIdIndex;
  readonly log: LogReader;
  /** The index is complete up to this position. */
  readonly position: Position;
}

/** Maximum number of events examined for a page when the index also finds events that do not match. */
const MAX_EXAMINED = 512;

interface Range {
  /** Exclusive. */
  readonly after: number;
  readonly upTo: number;
}

/** Finds positions within a range, latest first, at most `limit`. */
type Walk = (range: Range, limit: number) => Position[];

interface WalkPlan {
  readonly walk: Walk;
  /** Whether every event that the walk finds matches the filter, apart from hash collisions of labels. */
  readonly isExact: boolean;
}

/** One page: finds positions in the best index, reads the events from the log and applies the remaining conditions to them. */
export function historyPage(
  sources: HistorySources,
  filter: HistoryFilter,
  before: Position | null,
  limit: number,
): HistoryPage {
  let { after, upTo } = rangeOf(sources, filter, before);
  const { walk, isExact } = walkFor(sources, filter);
  const entries: HistoryEntry[] = [];
  let examined = 0;
  while (after < upTo) {
    const chunk = isExact ? limit + 1 - entries.length : Math.max(limit + 1, 128);
    const found = walk({ after, upTo }, chunk);
    let skipped = false;
    for (const at of found) {
      if (entries.length === limit || examined === MAX_EXAMINED) return { entries, before: position(upTo + 1) };
      const entry = entryAt(sources.log, at);
      if (entry && matches(entry, filter)) entries.push(entry);
      examined++;
      upTo = at - 1;
      const archived = entry ? undefined : sources.log.archive.rangeAt(at);
      if (!archived) continue;
      // A walk over everything finds archived positions, which may be a day's.
      upTo = archived.first - 1;
      skipped = true;
      break;
    }
    if (found.length < chunk && !skipped) break;
  }
  return { entries, before: null };
}

function rangeOf(
  sources: HistorySources,
  { since, until, stretches, after = position(0) }: HistoryFilter,
  before: Position | null,
): Range {
  const last = before === null ? sources.position : Math.min(before - 1, sources.position);
  return {
    after: Math.max(after, since === undefined ? 0 : sources.index.positionAt((since - 1) as Instant, stretches)),
    upTo: until === undefined ? last : Math.min(last, sources.index.positionAt(until, stretches)),
  };
}

function walkFor(sources: HistorySources, { search, subjects, actors, types }: HistoryFilter): WalkPlan {
  const { index } = sources;
  if (search !== undefined) return { walk: textWalk(index, search), isExact: !subjects && !actors && !types };
  const typeIds = types && idsOf(index.types.entries, types);
  const anyType = typeIds ?? index.types.entries.map((_, place) => place + 1);
  if (subjects) {
    const requestIds = subjects.map(requestIdOf).filter((id) => id !== undefined);
    const others = subjects.filter((subject) => requestIdOf(subject) === undefined);
    const walks = [listWalk(index, others.map(subjectLabel), anyType), requestWalk(sources, requestIds)];
    return { walk: union(walks), isExact: !actors && !types };
  }
  if (actors) return { walk: listWalk(index, actors.map(actorLabel), anyType), isExact: true };
  return { walk: typeIds ? listWalk(index, [ALL_EVENTS_LABEL], typeIds) : everything, isExact: true };
}

/** Ids of the types, as far as they have occurred. */
function idsOf(entries: readonly { text: string }[], types: readonly string[]): number[] {
  const names = new Set(types);
  return entries.flatMap(({ text }, place) => (names.has(text) ? [place + 1] : []));
}

const everything: Walk = ({ after, upTo }, limit) =>
  Array.from({ length: Math.min(limit, upTo - after) }, (_, index) => position(upTo - index));

function textWalk({ database }: HistoryIndex, search: string): Walk {
  const select = database.prepare(
    'SELECT rowid FROM texts WHERE texts MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?',
  );
  const phrase = `"${search.replaceAll('"', '""')}"`;
  return ({ after, upTo }, limit) => select.all(phrase, after, upTo, limit).map((row) => position(row.rowid as number));
}

/** Each label has one list per type: takes the last positions of each list, then the last of all of them. */
function listWalk({ postings }: HistoryIndex, labels: readonly number[], types: readonly number[]): Walk {
  const lists = labels.flatMap((label) => types.map((type) => ({ label, type })));
  return ({ after, upTo }, limit) => postings.last(lists, after, upTo, limit);
}

/** Finds all events of each request first: a request has few. */
const requestWalk =
  ({ requestIds, position: head }: HistorySources, ids: readonly string[]): Walk =>
  ({ after, upTo }, limit) =>
    ids
      .flatMap((id) => requestIds.positionsOf(id, after, upTo, head))
      .sort((a, b) => b - a)
      .slice(0, limit);

/** The latest positions that any of the walks finds, each once. */
const union =
  (walks: readonly Walk[]): Walk =>
  (range, limit) =>
    [...new Set(walks.flatMap((walk) => walk(range, limit)))].sort((a, b) => b - a).slice(0, limit);

function entryAt(log: LogReader, at: Position): HistoryEntry | undefined {
  const row = log.at(at);
  if (!row) return undefined;
  const [, stream, type, version, time, data, metadata] = row;
  const event = { type, data: upcast(type, version, JSON.parse(data)) } as KnownEvent;
  const { actor } = JSON.parse(metadata) as EventMetadata;
  return {
    position: at,
    time: instant(time),
    type,
    subject: subjectOf(stream, event),
    actor,
    sentence: sentenceOf(event),
  };
}

const matches = (entry: HistoryEntry, { subjects, actors, types }: HistoryFilter): boolean =>
  (!subjects || subjects.includes(entry.subject)) &&
  (!types || types.includes(entry.type)) &&
  (!actors || actorLabels(entry.actor).some((label) => actors.includes(label)));
