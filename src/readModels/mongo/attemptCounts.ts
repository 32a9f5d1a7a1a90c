import type { Position } from '../../domain/core/brands.ts';
import type { PeriodRange } from '../periodRanges.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';
import { type AttemptSelection, attemptFilter, type RowRange, rowsWithin } from './requestSelection.ts';
import { separate, sumsWithin } from './wholePeriods.ts';

/** A number of requests by the id of their kind. */
export interface KindCount {
  readonly kind: string;
  readonly count: number;
}

export interface AttemptCount extends KindCount {
  readonly attemptedAccountId: string;
}

/** The numbers of requests that tried each account before their own. Added up here: FerretDB groups by one field only. */
export async function countsByAttempt(
  { collections }: ReadView,
  ranges: readonly PeriodRange[],
  upTo: Position | undefined,
): Promise<readonly AttemptCount[]> {
  const { whole, partial } = separate(ranges);
  const projection = { _id: 0, attemptedAccountId: 1, kind: 1, requests: 1 };
  const [sums, ...rows] = await Promise.all([
    whole.length > 0
      ? collections.requestsByAttempt.find(sumsWithin(whole), { ...READ_OPTIONS, projection }).toArray()
      : [],
    ...partial.map(({ from, to }) =>
      collections.attempts
        .find(rowsWithin({ from, to, upTo }, 'position'), {
          ...READ_OPTIONS,
          hint: 'byTime',
          projection: { _id: 0, accountId: 1, kind: 1 },
        })
        .toArray(),
    ),
  ]);
  return [
    ...sums.map(({ requests, ...counted }) => ({ ...counted, count: requests })),
    ...rows.flat().map(({ accountId, kind }) => ({ attemptedAccountId: accountId, kind, count: 1 })),
  ];
}

/** The numbers of requests that tried a wanted account before another one, by kind. */
export async function countsByAttempted(
  { collections }: ReadView,
  attempted: AttemptSelection,
  range: RowRange,
): Promise<KindCount[]> {
  const group = { $group: { _id: '$kind', count: { $sum: 1 } } };
  const found = collections.attempts.aggregate([{ $match: attemptFilter(attempted, range) }, group], {
    ...READ_OPTIONS,
    hint: 'byAccount',
  });
  return (await found.toArray()).map(({ _id, count }) => ({ kind: _id as string, count: count as number }));
}
