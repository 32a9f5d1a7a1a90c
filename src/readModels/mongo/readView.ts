import type { Position } from '../../domain/core/brands.ts';
import type { ArchivedDay } from '../archivedDays.ts';
import type { Collections } from './collections.ts';
import type { RequestKinds } from './requestKinds.ts';
import type { RowSpans } from './rowSpans.ts';

/** Options of every query: the server aborts one that takes longer. */
export const READ_OPTIONS = { maxTimeMS: 10_000 } as const;

/** The collections that a query reads, and the position up to which they are known to be complete. */
export interface ReadView {
  readonly position: Position;
  /** Days whose requests have no documents, only sums. */
  readonly archived: readonly ArchivedDay[];
  /** The last archived position, or a later one; 0 when none is. */
  readonly archivedUpTo: number;
  readonly collections: Collections;
  readonly kinds: RequestKinds;
  readonly spans: RowSpans;
}
