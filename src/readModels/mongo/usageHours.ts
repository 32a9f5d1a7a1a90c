import { USAGE_SUMS } from '../../../projections/usageTrends.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { AccountUsageSums, UsageHour } from '../usageTrendsQueries.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';

const SUMS = Object.fromEntries(USAGE_SUMS.map((name) => [name, 1]));
const HOUR = { _id: 0, start: 1, ...SUMS };
const OF_ACCOUNT = { _id: 0, accountId: 1, ...SUMS };

/** The sums of each account since `since`. Added up here, because FerretDB cannot group with several sums. */
export async function usageSince({ collections }: ReadView, since: Instant): Promise<AccountUsageSums[]> {
  const byAccount = new Map<string, { -readonly [Name in keyof AccountUsageSums]: AccountUsageSums[Name] }>();
  const hours = collections.usageByAccount.find(
    { start: { $gte: since } },
    { ...READ_OPTIONS, projection: OF_ACCOUNT },
  );
  for await (const { accountId, ...hour } of hours) {
    const sums = byAccount.get(accountId);
    if (!sums) byAccount.set(accountId, { accountId, ...hour });
    else for (const name of USAGE_SUMS) sums[name] += hour[name];
  }
  return [...byAccount.values()].sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
}

/** See `UsageTrendsQueries.ofAccount`. */
export async function usageHoursOf({ collections }: ReadView, accountId: string, since: Instant): Promise<UsageHour[]> {
  const hours = (filter: object, options: object): Promise<UsageHour[]> =>
    collections.usageByAccount
      .find({ accountId, ...filter }, { ...READ_OPTIONS, projection: HOUR, ...options })
      .toArray() as unknown as Promise<UsageHour[]>;
  const lastBefore = (samples: 'primarySamples' | 'secondarySamples') =>
    hours({ start: { $lt: since }, [samples]: { $gt: 0 } }, { sort: { start: -1 }, limit: 1 });
  const [primary, secondary, later] = await Promise.all([
    lastBefore('primarySamples'),
    lastBefore('secondarySamples'),
    hours({ start: { $gte: since } }, { sort: { start: 1 } }),
  ]);
  const before = [...primary, ...secondary]
    .sort((a, b) => a.start - b.start)
    .filter(({ start }, index, all) => start !== all[index - 1]?.start);
  return [...before, ...later];
}
