import type { paths } from '#lib/api/openapi.d.ts';
import { type Chip, listChips, singleChip, timeChips } from '#lib/filters/chips.ts';
import { ANY_TIME, boundsOf, type Query, type TimeRange, timeRangeFrom } from '#lib/filters/timeRange.ts';
import { CHANGES, EVENT_KINDS, typesOf } from './eventKinds.ts';

type ListQuery = NonNullable<paths['/api/history']['get']['parameters']['query']>;
/** What the API is asked for, but for paging. */
export type HistoryConditions = Omit<ListQuery, 'limit' | 'cursor'>;

export const EVERYTHING = 'everything';
/** The API looks for three characters at least. */
export const MIN_SEARCH = 3;

/** What the page shows, as its URL says it. */
export interface HistoryFilter extends TimeRange {
  /** Kinds of events, or `everything`; without any, what was changed. */
  readonly kind: readonly string[];
  readonly type: readonly string[];
  readonly subject: readonly string[];
  readonly actor: readonly string[];
  readonly search: string;
}

/** Reads a filter from a URL; what makes no sense there is left out. */
export function filterFrom(query: Query): HistoryFilter {
  const list = (name: string) => [...new Set(query.getAll(name))].filter((value) => value !== '');
  const known = list('kind').filter((value) => EVENT_KINDS.some((kind) => kind.value === value));
  return {
    ...timeRangeFrom(query),
    kind: query.getAll('kind').includes(EVERYTHING) ? [EVERYTHING] : known,
    type: list('type'),
    subject: list('subject'),
    actor: list('actor'),
    search: query.get('search')?.trim() ?? '',
  };
}

/** Whether requests, samples and refreshes are left out because nobody asked for them. */
export const isChangesOnly = ({ kind, type, subject }: HistoryFilter): boolean =>
  kind.length === 0 && type.length === 0 && subject.length === 0;

/** What to ask the API for, at this moment. */
export function conditionsOf(filter: HistoryFilter, now: number): HistoryConditions {
  const { kind, type, subject, actor, search } = filter;
  const kinds = isChangesOnly(filter) ? CHANGES : kind;
  const types = type.length > 0 ? [...type] : typesOf(kinds);
  return {
    ...(types.length > 0 && { type: types }),
    ...(subject.length > 0 && { subject: [...subject] }),
    ...(actor.length > 0 && { actor: [...actor] }),
    ...(search.length >= MIN_SEARCH && { search }),
    ...boundsOf(filter, now),
  };
}

/** What takes every condition out of the URL. */
export const NO_CONDITIONS: Readonly<Record<string, null>> = {
  ...ANY_TIME,
  kind: null,
  type: null,
  subject: null,
  actor: null,
  search: null,
};

export interface Words {
  readonly subject: (subject: string) => string;
  readonly actor: (actor: string) => string;
  readonly time: (iso: string) => string;
}

/** Every condition that holds, each with its way out. */
export function chipsOf(filter: HistoryFilter, words: Words): Chip[] {
  const kind = (value: string) =>
    value === EVERYTHING ? 'all events' : (EVENT_KINDS.find((one) => one.value === value)?.label ?? value);
  return [
    ...(filter.search === '' ? [] : [singleChip('search', 'Search', filter.search)]),
    ...timeChips(filter, words.time),
    ...listChips('kind', 'Type', filter.kind, kind),
    ...listChips('type', 'Event type', filter.type),
    ...listChips('subject', 'Subject', filter.subject, words.subject),
    ...listChips('actor', 'Actor', filter.actor, words.actor),
  ];
}
