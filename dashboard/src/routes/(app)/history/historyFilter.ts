import type { paths } from '#lib/api/openapi.d.ts';
import { type Chip, listChips, singleChip, timeChips } from '#lib/filters/chips.ts';
import { ANY_TIME, boundsOf, type Query, type TimeRange, timeRangeFrom } from '#lib/filters/timeRange.ts';
import type { EvidenceSelection } from '#lib/startEvidence.ts';
import { CHANGES, EVENT_KINDS, typesOf } from './eventKinds.ts';

export type ListQuery = NonNullable<paths['/api/history']['get']['parameters']['query']>;
/** Query of the API without paging. */
export type HistoryConditions = Omit<ListQuery, 'limit' | 'cursor'>;

export const EVERYTHING = 'everything';
/** Minimum length that the API accepts. */
export const MIN_SEARCH = 3;

/** The filters in the URL of the page. */
export interface HistoryFilter extends TimeRange {
  /** Kinds of events, or `everything`; when empty, only changes. */
  readonly kind: readonly string[];
  readonly type: readonly string[];
  readonly subject: readonly string[];
  readonly actor: readonly string[];
  readonly search: string;
}

/** Reads the filters from a URL; ignores invalid values. */
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

/** Whether requests, usage samples and token refreshes are hidden because no filter includes them. */
export const isChangesOnly = ({ kind, type, subject }: HistoryFilter): boolean =>
  kind.length === 0 && type.length === 0 && subject.length === 0;

/** Query of the API for a filter. @param now in ms since 1970, for relative time ranges */
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

/** The events that a filter shows, for an evidence bundle. */
export function evidenceOf(filter: HistoryFilter, now: number): EvidenceSelection {
  const { type, subject, actor, search, since, until } = conditionsOf(filter, now);
  return {
    ...(type && { types: type }),
    ...(subject && { subjects: subject }),
    ...(actor && { actors: actor }),
    ...(search !== undefined && { search }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** Query changes that remove every filter. */
export const NO_FILTERS: Readonly<Record<string, null>> = {
  ...ANY_TIME,
  kind: null,
  type: null,
  subject: null,
  actor: null,
  search: null,
};

export interface Labels {
  readonly subject: (subject: string) => string;
  readonly actor: (actor: string) => string;
  readonly time: (iso: string) => string;
}

/** A chip for each active filter. */
export function chipsOf(filter: HistoryFilter, labels: Labels): Chip[] {
  const kind = (value: string) =>
    value === EVERYTHING ? 'all events' : (EVENT_KINDS.find((item) => item.value === value)?.label ?? value);
  return [
    ...(filter.search === '' ? [] : [singleChip('search', 'Search', filter.search)]),
    ...timeChips(filter, labels.time),
    ...listChips('kind', 'Type', filter.kind, kind),
    ...listChips('type', 'Event type', filter.type),
    ...listChips('subject', 'Subject', filter.subject, labels.subject),
    ...listChips('actor', 'Actor', filter.actor, labels.actor),
  ];
}
