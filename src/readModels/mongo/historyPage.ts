import type { Filter } from 'mongodb';
import { actorLabels } from '../../../projections/history.ts';
import { FIRST_STRETCH, partAt, type Stretch } from '../../domain/clock/stretches.ts';
import { type Instant, instant, type Position, position } from '../../domain/core/brands.ts';
import type { HistoryEntry, HistoryFilter, HistoryPage } from '../historyQueries.ts';
import type { HistoryDocument } from './documents.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { escapeRegExp } from './requestSearch.ts';

/** Maximum number of index entries examined for a page when some of them do not match. */
const MAX_EXAMINED = 20_000;

interface Range {
  /** Exclusive. */
  readonly after: number;
  readonly upTo: number;
}

/** One page: a scan of the best index, latest first. */
export async function historyPage(
  view: ReadView,
  filter: HistoryFilter,
  before: Position | null,
  limit: number,
): Promise<HistoryPage> {
  const range = await rangeOf(view, filter, before);
  if (range.after >= range.upTo) return { entries: [], before: null };
  return filter.search === undefined
    ? filteredPage(view, filter, range, limit)
    : searchedPage(view, filter, range, limit);
}

async function rangeOf(
  view: ReadView,
  { since, until, stretches, after: newerThan = position(0) }: HistoryFilter,
  before: Position | null,
): Promise<Range> {
  const [after, last] = await Promise.all([
    since === undefined ? 0 : positionAt(view, instant(since - 1), stretches),
    until === undefined ? view.position : positionAt(view, until, stretches),
  ]);
  return {
    after: Math.max(after, newerThan),
    upTo: Math.min(last, view.position, before === null ? view.position : before - 1),
  };
}

/** The last position that was written by `time`. */
async function positionAt(
  { collections }: ReadView,
  time: Instant,
  stretches: readonly Stretch[] = [FIRST_STRETCH],
): Promise<number> {
  const { after, until } = partAt(stretches, time);
  const last = await collections.history.findOne(
    { latest: { $lte: time }, _id: { $gt: after, $lte: until } },
    { ...READ_OPTIONS, hint: 'byLatest', sort: { latest: -1, _id: -1 }, projection: { _id: 1 } },
  );
  return last?._id ?? after;
}

/** The condition to scan by, its index, and whether it is the only condition. */
function primaryIndexFor({ subjects, actors, types }: HistoryFilter) {
  if (subjects) return { hint: 'bySubject', condition: { subject: { $in: [...subjects] } }, isOnly: !actors && !types };
  if (actors) return { hint: 'byActor', condition: { actors: { $in: [...actors] } }, isOnly: !types };
  if (types) return { hint: 'byType', condition: { type: { $in: [...types] } }, isOnly: true };
  return { hint: '_id_', condition: {}, isOnly: true };
}

async function filteredPage(view: ReadView, filter: HistoryFilter, range: Range, limit: number): Promise<HistoryPage> {
  const { history } = view.collections;
  const { hint, condition, isOnly } = primaryIndexFor(filter);
  const within = ({ after, upTo }: Range, more: Filter<HistoryDocument>): Filter<HistoryDocument> => ({
    ...more,
    _id: { $gt: after, $lte: upTo },
  });
  const walk = { ...READ_OPTIONS, hint, sort: { _id: -1 } } as const;
  const after = isOnly ? undefined : await examinationEnd(history.find(within(range, condition), walk));
  const { actors, types } = filter;
  const all = {
    ...condition,
    ...(actors && { actors: { $in: [...actors] } }),
    ...(types && { type: { $in: [...types] } }),
  };
  const found = await history
    .find(within({ ...range, ...(after && { after }) }, all), { ...walk, limit: limit + 1 })
    .toArray();
  return pageOf(found as HistoryDocument[], limit, after);
}

async function searchedPage(view: ReadView, filter: HistoryFilter, range: Range, limit: number): Promise<HistoryPage> {
  const { history, historyTexts } = view.collections;
  const walk = { ...READ_OPTIONS, hint: '_id_', sort: { _id: -1 } } as const;
  const bounds = (after: number, upTo: number) => ({ $gt: after, $lte: upTo });
  const after = await examinationEnd(historyTexts.find({ _id: bounds(range.after, range.upTo) }, walk));
  const text = { $regex: escapeRegExp((filter.search as string).toLowerCase()) };
  const entries: HistoryDocument[] = [];
  for (let { upTo } = range; entries.length <= limit; ) {
    const wanted = Math.max(limit + 1, 128);
    const options = { ...walk, limit: wanted, projection: { _id: 1 } } as const;
    const found = await historyTexts.find({ text, _id: bounds(after ?? range.after, upTo) }, options).toArray();
    const documents = await history.find({ _id: { $in: found.map(({ _id }) => _id) } }, walk).toArray();
    entries.push(...(documents as HistoryDocument[]).filter((document) => matches(document, filter)));
    if (found.length < wanted) break;
    upTo = (found.at(-1)?._id ?? 0) - 1;
  }
  return pageOf(entries, limit, after);
}

/** The position at which the scan has examined enough entries; undefined when it ends before. */
async function examinationEnd(cursor: {
  project(fields: object): { skip(count: number): { limit(count: number): { toArray(): Promise<{ _id: number }[]> } } };
}): Promise<number | undefined> {
  const [last] = await cursor.project({ _id: 1 }).skip(MAX_EXAMINED).limit(1).toArray();
  return last?._id;
}

/** @param after the position at which the scan stopped (exclusive); undefined when it was complete */
function pageOf(found: readonly HistoryDocument[], limit: number, after: number | undefined): HistoryPage {
  const entries = found.slice(0, limit).map(entryOf);
  if (found.length > limit) return { entries, before: entries.at(-1)?.position ?? null };
  return { entries, before: after === undefined ? null : position(after + 1) };
}

const entryOf = ({ _id, time, type, subject, actor, sentence }: HistoryDocument): HistoryEntry => ({
  position: position(_id),
  time: instant(time),
  type,
  subject,
  actor,
  sentence,
});

const matches = ({ subject, type, actor }: HistoryDocument, { subjects, actors, types }: HistoryFilter): boolean =>
  (!subjects || subjects.includes(subject)) &&
  (!types || types.includes(type)) &&
  (!actors || actorLabels(actor).some((label) => actors.includes(label)));
