import { actorLabels } from '../../../../projections/history.ts';
import { type Instant, type Position, position } from '../../../domain/brands.ts';
import type { HistoryEntry, HistoryFilter, HistoryPage } from '../../historyQueries.ts';
import type { HistoryLog } from './historyLog.ts';
import type { HistoryStore } from './historyStore.ts';

/** So many events are looked at where an index leads to some that do not match; then the page ends as it is. */
const MOST_EXAMINED = 512;

interface Range {
  /** In front of the first one. */
  readonly after: number;
  readonly upTo: number;
}

/** Positions in a range, the last first, at most `limit`. */
type Walk = (range: Range, limit: number) => Position[];

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
      if (entry && (isExact || matches(entry, filter))) entries.push(entry);
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

function walkFor(store: HistoryStore, { search, subjects, actors, types }: HistoryFilter) {
  if (search !== undefined) return { walk: textWalk(store, search), isExact: !subjects && !actors && !types };
  const typeIds = types && idsOf(store.types, types);
  const anyType = typeIds ?? store.types.entries.map((_, index) => index + 1);
  if (subjects) {
    const labels = idsOf(
      store.labels,
      subjects.map((subject) => `subject ${subject}`),
    );
    return { walk: labelWalk(store, 'bySubject', labels, anyType), isExact: !actors };
  }
  if (actors) {
    const labels = idsOf(
      store.labels,
      actors.map((actor) => `actor ${actor}`),
    );
    return { walk: labelWalk(store, 'byActor', labels, anyType), isExact: true };
  }
  return { walk: typeIds ? typeWalk(store, typeIds) : everything, isExact: true };
}

/** Numbers of those texts that ever occurred. */
function idsOf({ entries }: { readonly entries: readonly { text: string }[] }, wanted: readonly string[]): number[] {
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

/** An operator stands under several labels, so one position can come twice. */
const merged = (limit: number, lists: readonly Record<string, unknown>[][]): Position[] =>
  [...new Set(lists.flat().map((row) => position(row.position as number)))].sort((a, b) => b - a).slice(0, limit);

const matches = (entry: HistoryEntry, { subjects, actors, types }: HistoryFilter): boolean =>
  (!subjects || subjects.includes(entry.subject)) &&
  (!types || types.includes(entry.type)) &&
  (!actors || actorLabels(entry.actor).some((label) => actors.includes(label)));
