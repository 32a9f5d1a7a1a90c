import type { Filter } from 'mongodb';
import type { Instant } from '../../domain/core/brands.ts';
import { kindPredicate } from '../requestFilter.ts';
import type { RequestLogFilter } from '../requestLogQueries.ts';
import type { RequestDocument } from './documents.ts';
import type { ReadView } from './readView.ts';

/** Up to this many kinds a query scans one index range per kind and merges them; above, it scans along the time. */
const MAX_SCANNED_KINDS = 100;

/** Which rows of the request log a query selects; `to` is exclusive. */
export interface RequestSelection {
  readonly from: Instant;
  readonly to: Instant;
  /** Undefined selects every kind. */
  readonly kinds: KindSelection | undefined;
}

/** The condition on `kind`, and which index serves it best. */
export interface KindSelection {
  readonly condition: { readonly $in: string[] } | { readonly $nin: string[] };
  readonly areFew: boolean;
}

/** @returns undefined when every kind matches the filter, `none` when no kind does */
export async function selectKinds(
  view: ReadView,
  filter: RequestLogFilter,
): Promise<KindSelection | undefined | 'none'> {
  const matches = kindPredicate(filter);
  if (!matches) return undefined;
  const [ids, others]: [string[], string[]] = [[], []];
  for (const [id, kind] of await view.kinds.upTo(view.position)) (matches(kind) ? ids : others).push(id);
  if (ids.length === 0) return 'none';
  if (others.length === 0) return undefined;
  return {
    condition: ids.length <= others.length ? { $in: ids } : { $nin: others },
    areFew: ids.length <= MAX_SCANNED_KINDS,
  };
}

/** The query filter for the selected rows. */
export const rowFilter = ({ from, to, kinds }: RequestSelection): Filter<RequestDocument> => ({
  requestedAt: { $gte: from, $lt: to } as never,
  ...(kinds && { kind: kinds.condition as never }),
});
