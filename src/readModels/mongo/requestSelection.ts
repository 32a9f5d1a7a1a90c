import type { Filter } from 'mongodb';
import type { RequestKind } from '../../../projections/requestLog.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { hasNamesBeyond } from '../kindNames.ts';
import { kindPredicate, namesPredicate, wantedNames } from '../requestFilter.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import { needsRows } from '../sourceFilter.ts';
import type { AttemptDocument, RequestDocument } from './documents.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';

/** Up to this many kinds a query scans one index range per kind and merges them; above, it scans along the time. */
const MAX_SCANNED_KINDS = 100;

/** Which rows of the request log a query selects; `to` is exclusive. */
export interface RequestSelection extends MatchSelection, RowRange {
  /** Conditions that no sums are grouped by: then rows are counted. */
  readonly source: SourceSelection | undefined;
}

/** Conditions on where a request came from, and the index that serves them. */
export interface SourceSelection {
  readonly conditions: Filter<RequestDocument>;
  readonly hint: 'byConversation' | 'byKey' | 'byTime';
}

/** Rows by time and position. */
export interface RowRange {
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  /** The last position of a row; undefined: every row. */
  readonly upTo: Position | undefined;
}

/** Rows that match by their kind, or by an account that they tried before their own. */
export interface MatchSelection {
  /** Undefined selects every kind, `none` no kind. */
  readonly kinds: KindSelection | undefined | 'none';
  readonly attempted?: AttemptSelection | undefined;
}

/** The condition on `kind`, and which index serves it best. */
export interface KindSelection {
  readonly condition: { readonly $in: string[] } | { readonly $nin: string[] };
  readonly areFew: boolean;
}

export interface AttemptSelection {
  readonly accountIds: readonly string[];
  /** The kinds that the rows may have; not among those that match by themselves. */
  readonly kinds: KindSelection['condition'];
}

/** The selection of a filter, with its conditions evaluated once per kind. */
export async function selectMatches(
  view: ReadView,
  filter: RequestLogFilter,
  isBeyond = false,
): Promise<MatchSelection> {
  const predicate = kindPredicate(filter, isBeyond);
  if (!predicate) return { kinds: undefined };
  const all = await view.kinds.upTo(view.position);
  const { matches, attempted } = predicate;
  const further = attempted && conditionFor(all, attempted.matches);
  return {
    kinds: kindsFor(all, matches),
    attempted: attempted && further && { accountIds: [...attempted.accountIds], kinds: further.condition },
  };
}

function kindsFor(all: ReadonlyMap<string, RequestKind>, matches: (kind: RequestKind) => boolean) {
  const selected = conditionFor(all, matches);
  return selected === undefined ? 'none' : selected.isAll ? undefined : selected;
}

/** @returns undefined when no kind matches */
function conditionFor(all: ReadonlyMap<string, RequestKind>, matches: (kind: RequestKind) => boolean) {
  const [ids, others]: [string[], string[]] = [[], []];
  for (const [id, kind] of all) (matches(kind) ? ids : others).push(id);
  if (ids.length === 0) return undefined;
  const condition = ids.length <= others.length ? { $in: ids } : { $nin: others };
  return { condition, areFew: ids.length <= MAX_SCANNED_KINDS, isAll: others.length === 0 };
}

/** Whether no row can match. */
export const isEmpty = ({ kinds, attempted }: MatchSelection): boolean => kinds === 'none' && !attempted;

/** The condition on the times of rows and on their positions, which are in the field `at`. */
export const rowsWithin = ({ from, to, upTo }: RowRange, at: '_id' | 'position') => ({
  requestedAt: { $gte: from, $lt: to } as never,
  ...(upTo !== undefined && { [at]: { $lte: upTo } as never }),
});

/** Rows that match a filter: those of its kinds with its conditions on rows. */
export async function select(view: ReadView, filter: RequestLogFilter) {
  const isBeyond = await hasBeyond(view, filter);
  const matching = await selectMatches(view, filter, isBeyond);
  const source = selectSource(filter);
  if (!isBeyond) return { ...matching, source };
  const names = { conditions: await namesCondition(view, filter), hint: 'byTime' } as const;
  return {
    ...matching,
    source: source ? { ...source, conditions: { ...source.conditions, ...names.conditions } } : names,
  };
}

/** Whether any row has a name that the filter wants and that is not the one of its kind, so that rows have to be read. */
export async function hasBeyond(view: ReadView, filter: RequestLogFilter): Promise<boolean> {
  const { models, efforts } = wantedNames(filter);
  if (models.length === 0 && efforts.length === 0) return false;
  if (![...(await view.kinds.upTo(view.position)).values()].some(hasNamesBeyond)) return false;
  const find = (field: 'modelBeyond' | 'effortBeyond', names: readonly string[], hint: string) =>
    names.length > 0 && view.collections.requests.findOne({ [field]: { $in: [...names] } }, { ...READ_OPTIONS, hint });
  const found = await Promise.all([
    find('modelBeyond', models, 'byModelBeyond'),
    find('effortBeyond', efforts, 'byEffortBeyond'),
  ]);
  return found.some(Boolean);
}

/** The names of a row, where those of its kind are not the ones that are wanted: see `KindNames`. */
async function namesCondition(view: ReadView, filter: RequestLogFilter): Promise<Filter<RequestDocument>> {
  const { models, efforts, modelOptions } = filter;
  const exactly = conditionFor(await view.kinds.upTo(view.position), namesPredicate(filter));
  const own = {
    ...(models && { model: { $in: [...models] } }),
    ...(efforts && { effort: { $in: [...efforts] } }),
    ...(modelOptions && { $or: modelOptions.map(({ model, effort }) => ({ model, effort })) }),
  };
  return { $or: [...(exactly ? [{ kind: exactly.condition }] : []), own] } as unknown as Filter<RequestDocument>;
}

/** @returns undefined when the filter has no condition on the source of a request */
export function selectSource(filter: RequestLogFilter): SourceSelection | undefined {
  if (!needsRows(filter)) return undefined;
  const fields = {
    apiKeyId: filter.apiKeyIds,
    errorCode: filter.errorCodes,
    owner: filter.owners,
    team: filter.teams,
    transport: filter.transports,
    client: filter.clients,
    addressDigest: filter.addressDigests,
    conversations: filter.conversations,
  };
  const conditions = Object.entries(fields).flatMap(([name, values]) =>
    values ? [[name, { $in: [...values] }] as const] : [],
  );
  const hint = filter.conversations ? 'byConversation' : filter.apiKeyIds ? 'byKey' : 'byTime';
  return { conditions: Object.fromEntries(conditions) as Filter<RequestDocument>, hint };
}

/** The query filter for the rows that match by their kind. */
export const rowFilter = (range: RowRange, kinds: KindSelection | undefined): Filter<RequestDocument> => ({
  ...rowsWithin(range, '_id'),
  ...(kinds && { kind: kinds.condition as never }),
});

/** The query filters for all selected rows; a row matches one of them. */
export function rowFilters({ kinds, attempted, source, ...range }: RequestSelection): Filter<RequestDocument>[] {
  return [
    ...(kinds === 'none' ? [] : [{ ...rowFilter(range, kinds), ...source?.conditions }]),
    ...(attempted
      ? [
          {
            ...rowsWithin(range, '_id'),
            kind: attempted.kinds as never,
            otherAccountIds: { $in: [...attempted.accountIds] } as never,
            ...source?.conditions,
          },
        ]
      : []),
  ];
}

/** The query filter for the attempts of further rows, one for each row. */
export const attemptFilter = ({ accountIds, kinds }: AttemptSelection, range: RowRange): Filter<AttemptDocument> => ({
  accountId: { $in: [...accountIds] },
  ...rowsWithin(range, 'position'),
  kind: kinds as never,
  // Only where a row could be found twice: the condition needs the documents, the others only the index.
  ...(accountIds.length > 1 && { before: { $nin: [...accountIds] } as never }),
});
