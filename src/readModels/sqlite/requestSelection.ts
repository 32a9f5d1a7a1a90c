import type { Instant } from '../../domain/core/brands.ts';
import { kindPredicate, timeRangeOf } from '../requestFilter.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import type { RequestTable } from './requestTable.ts';

/** Which rows of the request log a query selects; `to` is exclusive. */
export interface RequestSelection {
  readonly from: Instant;
  readonly to: Instant;
  /** Undefined selects every kind. */
  readonly kinds: KindSelection | undefined;
}

export interface KindSelection {
  /** One byte per kind id: 1 for those that are selected. */
  readonly bytes: Uint8Array;
  /** Only kinds of failed requests are selected; those have an index of their own. */
  readonly isFailedOnly: boolean;
}

/** The selection of a filter, with its conditions evaluated once per kind. */
export function selectionOf(filter: RequestLogFilter, { kinds }: RequestTable): RequestSelection {
  const matches = kindPredicate(filter);
  if (!matches) return { ...timeRangeOf(filter), kinds: undefined };
  const bytes = Uint8Array.from(kinds.entries, (kind) => (matches(kind) ? 1 : 0));
  const isFailedOnly = kinds.entries.every(({ status }, index) => bytes[index] === 0 || status !== '200');
  return { ...timeRangeOf(filter), kinds: { bytes, isFailedOnly } };
}

/** The SQL condition on `kindId`. Where there is a selection, its bytes are the statement's parameter. */
export const kindCondition = (kinds: KindSelection | undefined) => (kinds ? "AND substr(?, kindId, 1) = x'01'" : '');
