import { hash } from 'node:crypto';
import type { Binary } from 'mongodb';
import type { FigureSums, Grouping } from '../../../projections/figures.ts';
import type { Period } from '../../../projections/periods.ts';
import type {
  AttemptSums,
  RequestKind,
  RequestLogRow,
  RequestSource,
  RequestSums,
  UnloggedRefusals,
} from '../../../projections/requestLog.ts';
import type { UsageSample, UsageSums } from '../../../projections/usageTrends.ts';
import { position } from '../../domain/core/brands.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import type { GroupKey } from '../figureCounts.ts';

// Positions and times are plain numbers: MongoDB compares and sorts numbers by value, whichever numeric type the driver
// chooses, and ours are below 2^53.

/** A row of the request log by its position. It contains its texts, so that operators can read the collection. */
export interface RequestDocument extends Omit<RequestLogRow, 'position' | 'errorMessage' | 'otherAccountIds'> {
  readonly _id: number;
  /** Id of the `KindDocument`, which filters are evaluated on. */
  readonly kind: string;
  /** Its own names where those of the kind are `other`: see `KindNames`. Absent for nearly all requests. */
  readonly modelBeyond?: string;
  readonly effortBeyond?: string;
  /** Absent instead of null, so that its sparse index contains failed requests only. */
  readonly errorMessage?: string;
  /** Absent for nearly all requests: they tried only their own account. */
  readonly otherAccountIds?: readonly string[];
}

/** An account that a request tried before its own. */
export interface AttemptDocument {
  /** The position of the request, and the place among its other accounts. */
  readonly _id: string;
  readonly accountId: string;
  readonly requestedAt: number;
  readonly position: number;
  /** That of the request. */
  readonly kind: string;
  /** The accounts before this one, so that a query for several accounts finds the request once. */
  readonly before: readonly string[];
}

/** Refusals without rows, by the key that the projection gives them. */
export interface RefusalsDocument extends UnloggedRefusals {
  readonly _id: string;
}

/** A combination of filterable fields, by its hash. Filters are evaluated on these few documents, never on rows. */
export interface KindDocument extends RequestKind {
  readonly _id: string;
  /** End of the batch in which the kind first occurred: readers load only kinds that are later than those they have. */
  readonly since: number;
}

/**
 * Sums of one group over one period. A document with position P contains exactly the sums of all events up to P, whichever
 * node wrote it. That makes repeated writes harmless.
 */
export type RollUpDocument<Group, Sums> = Group &
  Sums & {
    readonly _id: string;
    readonly period: Period;
    readonly start: number;
    readonly position: number;
  };

export type KindSums = RollUpDocument<{ readonly kind: string }, RequestSums>;
export type AttemptKindSums = RollUpDocument<
  { readonly attemptedAccountId: string; readonly kind: string },
  AttemptSums
>;
export type SourceSums = RollUpDocument<RequestSource, RequestSums>;
export type ErrorCodeSums = RollUpDocument<Pick<RequestSource, 'errorCode'>, RequestSums>;
/** Sums and encoded sketches of one group. */
export interface StoredFigures extends FigureSums {
  readonly group: GroupKey;
  readonly latency: Binary;
  readonly firstByte: Binary;
}

/** All groups of all groupings in one period: with a document for each of them, a request would change some forty. */
export type FigureDocument = RollUpDocument<
  Readonly<Record<never, never>>,
  Readonly<Record<Grouping, readonly StoredFigures[]>>
>;
export type AccountSums = RollUpDocument<{ readonly accountId: string }, UsageSums>;

/** A name of what clients choose freely that has a group of its own in a month: see `FigureNames`. */
export interface FigureNameDocument {
  readonly _id: string;
  /** The start of the month. */
  readonly month: number;
  readonly by: Grouping;
  readonly name: string;
  /** End of the batch in which the name first occurred. */
  readonly since: number;
}

/** Rows whose times are compared with positions: requests with counted refusals, and usage samples. */
export type SpanSeries = 'requests' | 'usage';

/** The times of the rows of neighbouring positions: see `Cut`. */
export interface SpanDocument {
  readonly _id: string;
  readonly series: SpanSeries;
  readonly span: number;
  readonly earliest: number;
  readonly latest: number;
}

/** A sample of an account's usage, by its position. */
export interface UsageSampleDocument extends Omit<UsageSample, 'position'> {
  readonly _id: number;
}

/** An entry of the history, by its position. */
export interface HistoryDocument {
  readonly _id: number;
  readonly time: number;
  /** The latest time of all events up to this one since the last jump of a clock, which `since` and `until` are compared with. */
  readonly latest: number;
  readonly type: string;
  readonly subject: string;
  readonly actor: Actor;
  /** The filter values that match the actor. */
  readonly actors: readonly string[];
  readonly sentence: string;
}

/** The search text of an event in lower case, by its position; routine events have none. */
export interface TextDocument {
  readonly _id: number;
  readonly text: string;
}

/** 72 bits of a hash: equal values have the same id on every node, and a few thousand ids do not collide. */
export const idOf = (...values: readonly (string | null)[]): string =>
  hash('sha256', JSON.stringify(values), 'base64url').slice(0, 12);

/** The id of the `KindDocument` of a request. */
export const kindId = ({ accountId, model, effort, status }: RequestKind): string =>
  idOf(accountId, model, effort, status);

/** The document of a row, with its kind and the id of that; `requestLogRow` reads it back. */
export function requestDocument(
  { position: at, errorMessage, otherAccountIds, ...row }: RequestLogRow,
  kind: string,
  { model, effort }: RequestKind,
): RequestDocument {
  return {
    _id: at,
    ...row,
    kind,
    ...(model === row.model ? undefined : { modelBeyond: row.model }),
    ...(effort === row.effort || row.effort === null ? undefined : { effortBeyond: row.effort }),
    ...(errorMessage === null ? undefined : { errorMessage }),
    ...(otherAccountIds.length === 0 ? undefined : { otherAccountIds }),
  };
}

/** The documents of the accounts that a request tried before its own. */
export const attemptDocuments = (
  { position: at, requestedAt, otherAccountIds }: RequestLogRow,
  kind: string,
): AttemptDocument[] =>
  otherAccountIds.map((accountId, place) => ({
    _id: `${at} ${place}`,
    accountId,
    requestedAt,
    position: at,
    kind,
    before: otherAccountIds.slice(0, place),
  }));

export const refusalsDocument = (_id: string, refusals: UnloggedRefusals): RefusalsDocument => ({ _id, ...refusals });

export function requestLogRow({
  _id,
  kind: _,
  modelBeyond: __,
  effortBeyond: ___,
  errorMessage,
  otherAccountIds = [],
  ...row
}: RequestDocument): RequestLogRow {
  return { ...row, otherAccountIds, errorMessage: errorMessage ?? null, position: position(_id) };
}
