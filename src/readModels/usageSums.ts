import { endOf, startOf } from '../../projections/periods.ts';
import { USAGE_SUMS, type UsageSample, type UsageSums } from '../../projections/usageTrends.ts';
import { type Instant, instant } from '../domain/core/brands.ts';
import type { Cut } from './cut.ts';
import { MAX_INSTANT } from './periodRanges.ts';
import type { UsageHour } from './usageTrendsQueries.ts';

/** The hours before this moment are whole: the sums of later ones are made of samples. */
export const wholeHoursTo = (cut: Cut | undefined): Instant => (cut ? startOf('hour', cut.from) : MAX_INSTANT);

/** The start of the first hour that begins at `since` or later. */
export const firstHourFrom = (since: Instant): Instant =>
  startOf('hour', since) === since ? since : endOf('hour', startOf('hour', since));

/** Adds sums to those of a key, the first ones as they are. */
export function addUsage<Key>(into: Map<Key, UsageSums>, key: Key, sums: UsageSums): void {
  const known = into.get(key);
  const added = USAGE_SUMS.map((name) => [name, (known?.[name] ?? 0) + sums[name]]);
  into.set(key, Object.fromEntries(added) as unknown as UsageSums);
}

/** The samples of one account by hour, in order. */
export function hoursOfSamples(samples: readonly Pick<UsageSample, 'time' | keyof UsageSums>[]): UsageHour[] {
  const hours = new Map<number, UsageSums>();
  for (const sample of samples) addUsage(hours, startOf('hour', sample.time), sample);
  return [...hours].sort(([a], [b]) => a - b).map(([start, sums]) => ({ start: instant(start), ...sums }));
}

/**
 * The hours since a moment, preceded by the last earlier hour with samples of each window.
 * @param before the last whole hour before `since` with samples of each window
 * @param whole the whole hours since `since`
 * @param sampled the hours after the whole ones, in order
 */
export function hoursSince(
  since: Instant,
  before: readonly (UsageHour | undefined)[],
  whole: readonly UsageHour[],
  sampled: readonly UsageHour[],
): UsageHour[] {
  const last = (samples: 'primarySamples' | 'secondarySamples', index: number) =>
    sampled.findLast((hour) => hour.start < since && hour[samples] > 0) ?? before[index];
  const earlier = [last('primarySamples', 0), last('secondarySamples', 1)]
    .filter((hour) => hour !== undefined)
    .sort((a, b) => a.start - b.start)
    .filter(({ start }, index, all) => start !== all[index - 1]?.start);
  return [...earlier, ...whole, ...sampled.filter(({ start }) => start >= since)];
}
