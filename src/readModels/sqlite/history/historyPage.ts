import { actorLabels } from '../../../../projections/history.ts';
import { type Instant, type Position, position } from '../../../domain/brands.ts';
import type { HistoryEntry, HistoryFilter, HistoryPage } from '../../historyQueries.ts';
import type { HistoryLog } from './historyLog.ts';
import { type HistoryStore, isRequest, labelOf, STRETCH } from './historyStore.ts';

/** So many events are looked at where an index leads to some that do not match; then the page ends as it is. */
const MOST_EXAMINED = 512;

interface Range {
  /** In front of the first one. */
  readonly after: number;
  readonly upTo: number;
}

/** Positions in a range, the last first, at most `limit`. */
type Walk = (range: Range, limit: number) => Position[];

interface Plan {
  readonly walk: Walk;
  /** Everything the walk leads to belongs to the answer, two texts with one label apart. */
  readonly isExact: boolean;
}

/** One page: positions along the one index that fits best, rows from the log, and what that index cannot tell from them. */
export function historyPage(
  store: HistoryStore,
  log: HistoryLog,
  filter: HistoryFilter,
  before: Position | null,
  limit: number,
): HistoryPage {
  let { after, upTo } = rangeOf(store, filter, before);
  const { walk, isExact } = walkFor(store, filter);
  const entries: HistoryEntry[] = [];
  let examined = 0;
  while (after < upTo) {
    const chunk = isExact ? limit + 1 - entries.length : Math.max(limit + 1, 128);
    const found = walk({ after, upTo }, chunk);
    for (const at of found) {
      if (entries.length === limit || examined === MOST_EXAMINED) return { entries, before: position(upTo + 1) };
      const entry = log.entry(at);
      if (entry && matches(entry, filter)) entries.push(entry);
      examined++;
      upTo = at - 1;
    }
    if (found.length < chunk) break;
  }
  return { entries, before: null };
}

function rangeOf(store: HistoryStore, { since, until }: HistoryFilter, before: Position | null): Range {
  const last = before === null ? store.position : Math.min(before - 1, store.position);
  return {
    after: since === undefined ? 0 : store.positionAt((since - 1) as Instant),
    upTo: until === undefined ? last : Math.min(last, store.positionAt(until)),
  };
}

function walkFor(store: HistoryStore, { search, subjects, actors, types }: HistoryFilter): Plan {
  if (search !== undefined) return { walk: textWalk(store, search), isExact: !subjects && !actors && !types };
  const typeIds = types && idsOf(store.types.entries, types);
  const anyType = typeIds ?? store.types.entries.map((_, index) => index + 1);
  if (subjects) {
    const named = subjects.filter((subject) => !isRequest(subject));
    const walks = [
      labelWalk(store, 'bySubject', named.map(labelOf), anyType),
      requestWalk(store, subjects.filter(isRequest).map(labelOf)),
    ];
    return { walk: both(walks), isExact: !actors && !types };
  }
  if (actors) return { walk: labelWalk(store, 'byActor', actors.map(labelOf), anyType), isExact: true };
  return { walk: typeIds ? typeWalk(store, typeIds) : everything, isExact: true };
}

/** Numbers of those types that ever occurred. */
function idsOf(entries: readonly { text: string }[], wanted: readonly string[]): number[] {
  const names = new Set(wanted);
  return entries.flatMap(({ text }, index) => (names.has(text) ? [index + 1] : []));
}

const everything: Walk = ({ after, upTo }, limit) =>
  Array.from({ length: Math.min(limit, upTo - after) }, (_, index) => position(upTo - index));

function textWalk({ database }: HistoryStore, search: string): Walk {
  const select = database.prepare(
    'SELECT rowid FROM texts WHERE texts MATCH ? AND rowid > ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?',
  );
  const phrase = `"${search.replaceAll('"', '""')}"`;
  return ({ after, upTo }, limit) => select.all(phrase, after, upTo, limit).map((row) => position(row.rowid as number));
}

function typeWalk({ database }: HistoryStore, types: readonly number[]): Walk {
  const select = database.prepare(
    'SELECT position FROM byType WHERE type = ? AND position > ? AND position <= ? ORDER BY position DESC LIMIT ?',
  );
  return ({ after, upTo }, limit) =>
    merged(
      limit,
      types.map((type) => select.all(type, after, upTo, limit)),
    );
}

/** Within a label each type is a sorted range of its own: a few of each, then the last of all of them. */
function labelWalk(
  { database }: HistoryStore,
  table: 'bySubject' | 'byActor',
  labels: readonly number[],
  types: readonly number[],
): Walk {
  const select = database.prepare(
    `SELECT position FROM ${table} WHERE label = ? AND type = ? AND position > ? AND position <= ?
     ORDER BY position DESC LIMIT ?`,
  );
  return ({ after, upTo }, limit) =>
    merged(
      limit,
      labels.flatMap((label) => types.map((type) => select.all(label, type, after, upTo, limit))),
    );
}

/** A request has a few events at most; each stretch is looked into, the last first. */
function requestWalk({ database }: HistoryStore, labels: readonly number[]): Walk {
  const select = database.prepare(
    'SELECT position FROM byRequest WHERE stretch = ? AND label = ? AND position > ? AND position <= ?',
  );
  return ({ after, upTo }, limit) => {
    const last = Math.floor(upTo / STRETCH);
    const stretches = Array.from({ length: last - Math.floor(after / STRETCH) + 1 }, (_, index) => last - index);
    return merged(
      limit,
      labels.flatMap((label) => stretches.map((stretch) => select.all(stretch, label, after, upTo))),
    );
  };
}

const both =
  (walks: readonly Walk[]): Walk =>
  (range, limit) =>
    [...new Set(walks.flatMap((walk) => walk(range, limit)))].sort((a, b) => b - a).slice(0, limit);

/** An operator stands under several labels, so one position can come twice. */
const merged = (limit: number, lists: readonly Record<string, unknown>[][]): Position[] =>
  [...new Set(lists.flat().map((row) => position(row.position as number)))].sort((a, b) => b - a).slice(0, limit);

const matches = (entry: HistoryEntry, { subjects, actors, types }: HistoryFilter): boolean =>
  (!subjects || subjects.includes(entry.subject)) &&
  (!types || types.includes(entry.type)) &&
  (!actors || actorLabels(entry.actor).some((label) => actors.includes(label)));
