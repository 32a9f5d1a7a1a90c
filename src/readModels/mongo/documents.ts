import { hash } from 'node:crypto';
import type { Period } from '../../../projections/periods.ts';
import type {
  RequestKind,
  RequestLogRow,
  RequestOutcome,
  RequestSums,
  UnloggedRefusals,
} from '../../../projections/requestLog.ts';
import type { UsageSums } from '../../../projections/usageTrends.ts';
import { position } from '../../domain/core/brands.ts';
import type { Actor } from '../../eventLog/eventLog.ts';

// Positions and times are plain numbers, here as everywhere: MongoDB compares and sorts numbers by their value, whichever
// of its types the driver chose for them, and none of ours is beyond 2^53.

/** A row of the request log under its position. Its texts stand in it, so that whoever looks into the store can read it. */
export interface RequestDocument extends Omit<RequestLogRow, 'position' | 'errorMessage'> {
  readonly _id: number;
  /** See `KindDocument`: what filters go by. */
  readonly kind: string;
  /** Absent where there is none, so that its index holds failed requests only. */
  readonly errorMessage?: string;
}

/** Refusals without rows, under the key that the projection gives them. */
export interface RefusalsDocument extends Omit<UnloggedRefusals, 'position'> {
  readonly _id: string;
}

/** What a request can be filtered by, once each, under a hash of it: a filter is tried on these few, never on rows. */
export interface KindDocument extends RequestKind {
  readonly _id: string;
  /** End of the batch in which it was met first: a reader that knows all up to a position asks for later ones only. */
  readonly since: number;
}

/**
 * Sums of one group over one period. A document whose position is P is exactly what all events up to P make of it: that
 * holds whoever wrote it, and makes writing it again harmless.
 */
export type RollUpDocument<Group, Sums> = Group &
  Sums & {
    readonly _id: string;
    readonly period: Period;
    readonly start: number;
    readonly position: number;
  };

export type KindSums = RollUpDocument<{ readonly kind: string }, RequestSums>;
export type OutcomeSums = RollUpDocument<RequestOutcome, RequestSums>;
export type ErrorCodeSums = RollUpDocument<Pick<RequestOutcome, 'errorCode'>, RequestSums>;
export type AccountSums = RollUpDocument<{ readonly accountId: string }, UsageSums>;

/** An event as the history shows it, under its position. */
export interface HistoryDocument {
  readonly _id: number;
  readonly time: number;
  /** The latest time of any event up to this one: what `since` and `until` go by. */
  readonly latest: number;
  readonly type: string;
  readonly subject: string;
  readonly actor: Actor;
  /** The spellings by which a filter finds the actor. */
  readonly actors: readonly string[];
  readonly sentence: string;
}

/** What an event is found by, in lower case, under its position; ordinary requests have none. */
export interface TextDocument {
  readonly _id: number;
  readonly text: string;
}

/** 72 bits of a hash: the same for the same values on every node, and no two of a few thousand share one. */
export const idOf = (...values: readonly (string | null)[]): string =>
  hash('sha256', JSON.stringify(values), 'base64url').slice(0, 12);

export const kindId = ({ accountId, model, effort, status }: RequestKind): string =>
  idOf(accountId, model, effort, status);

export function requestDocument({ position: at, errorMessage, ...row }: RequestLogRow, kind: string): RequestDocument {
  return { _id: at, ...row, kind, ...(errorMessage === null ? undefined : { errorMessage }) };
}

export const refusalsDocument = (_id: string, { position: _, ...refusals }: UnloggedRefusals): RefusalsDocument => ({
  _id,
  ...refusals,
});

export function requestLogRow({ _id, kind: _, errorMessage, ...row }: RequestDocument): RequestLogRow {
  return { ...row, errorMessage: errorMessage ?? null, position: position(_id) };
}
