import { USAGE_SUMS, type UsageSums } from '../../../projections/usageTrends.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { Cut } from '../cut.ts';
import { addUsage, firstHourFrom, hoursOfSamples, hoursSince, wholeHoursTo } from '../usageSums.ts';
import type { AccountUsageSums, UsageHour } from '../usageTrendsQueries.ts';
import { READ_OPTIONS, type ReadView } from './readView.ts';

const SUMS = Object.fromEntries(USAGE_SUMS.map((name) => [name, 1]));
const HOUR = { _id: 0, start: 1, ...SUMS };
const OF_ACCOUNT = { _id: 0, accountId: 1, ...SUMS };

/** The sums of each account since `since`. Added up here, because FerretDB cannot group with several sums. */
export async function usageSince(view: ReadView, since: Instant, cut?: Cut): Promise<AccountUsageSums[]> {
  const byAccount = new Map<string, UsageSums>();
  const wholeTo = wholeHoursTo(cut);
  const hours = view.collections.usageByAccount.find(
    { start: { $gte: since, $lt: wholeTo } },
    { ...READ_OPTIONS, projection: OF_ACCOUNT },
  );
  for await (const { accountId, ...hour } of hours) addUsage(byAccount, accountId, hour);
  if (cut) {
    const from = instant(Math.max(firstHourFrom(since), wholeTo));
    for (const { accountId, ...sample } of await samplesIn(view, from, cut)) addUsage(byAccount, accountId, sample);
  }
  return [...byAccount].sort(([a], [b]) => (a < b ? -1 : 1)).map(([accountId, sums]) => ({ accountId, ...sums }));
}

/** See `UsageTrendsQueries.ofAccount`. */
export async function usageHoursOf(view: ReadView, accountId: string, since: Instant, cut?: Cut): Promise<UsageHour[]> {
  const wholeTo = wholeHoursTo(cut);
  const hours = (filter: object, options: object): Promise<UsageHour[]> =>
    view.collections.usageByAccount
      .find({ accountId, ...filter }, { ...READ_OPTIONS, projection: HOUR, ...options })
      .toArray() as unknown as Promise<UsageHour[]>;
  const lastBefore = async (samples: 'primarySamples' | 'secondarySamples') => {
    const before = { start: { $lt: Math.min(since, wholeTo) }, [samples]: { $gt: 0 } };
    return (await hours(before, { sort: { start: -1 }, limit: 1 }))[0];
  };
  const [primary, secondary, whole, samples] = await Promise.all([
    lastBefore('primarySamples'),
    lastBefore('secondarySamples'),
    hours({ start: { $gte: since, $lt: wholeTo } }, { sort: { start: 1 } }),
    cut ? samplesIn(view, wholeTo, cut, { accountId }) : [],
  ]);
  return hoursSince(since, [primary, secondary], whole, hoursOfSamples(samples));
}

function samplesIn({ collections }: ReadView, from: Instant, { to, asOf }: Cut, more: object = {}) {
  const within = { time: { $gte: from, $lt: to } as never, _id: { $lte: asOf }, ...more };
  return collections.usageSamples.find(within, { ...READ_OPTIONS, hint: 'byTime' }).toArray();
}
