import { type Instant, instant } from '../../domain/core/brands.ts';
import type { GroupKey } from '../figureCounts.ts';

/** A group of one grouping in one period. */
export interface PeriodGroup {
  readonly start: Instant;
  readonly key: GroupKey;
}

/** Groups, and which of them each request belongs to. */
export interface RequestGroups {
  readonly groups: readonly PeriodGroup[];
  readonly groupOf: Int32Array;
}

/** What requests of one quarter of an hour have in common in several groupings. */
interface Common<Keys> {
  readonly quarter: number;
  readonly keys: Keys;
}

/** What requests have in common, and which of it each request has. */
export interface CommonGroups<Keys> {
  readonly all: readonly Common<Keys>[];
  readonly numberOf: Int32Array;
}

/** Finds what requests have in common once, for all groupings that are made of it. @param quarterOf and idOf by request */
export function commonGroups<Keys>(
  length: number,
  quarters: ReadonlyMap<number, ReadonlyMap<number, Keys>>,
  quarterOf: (request: number) => number,
  idOf: (request: number) => number,
): CommonGroups<Keys> {
  const all: Common<Keys>[] = [];
  const numbers = new Map([...quarters.keys()].map((quarter) => [quarter, new Map<number, number>()]));
  const numberOf = new Int32Array(length);
  for (let request = 0; request < length; request++) {
    const quarter = quarterOf(request);
    const id = idOf(request);
    const known = numbers.get(quarter) as Map<number, number>;
    let number = known.get(id);
    if (number === undefined) {
      number = all.push({ quarter, keys: quarters.get(quarter)?.get(id) as Keys }) - 1;
      known.set(id, number);
    }
    numberOf[request] = number;
  }
  return { all, numberOf };
}

/** The groups of one grouping by quarters: quarters and the groups of each in the order of their first requests. */
export function groupsByQuarter<Keys>(
  { all, numberOf }: CommonGroups<Keys>,
  keyOf: (keys: Keys) => GroupKey,
): RequestGroups {
  const quarters = new Map<number, number[]>();
  for (const [index, { quarter }] of all.entries()) {
    const own = quarters.get(quarter);
    if (own) own.push(index);
    else quarters.set(quarter, [index]);
  }
  const groups: PeriodGroup[] = [];
  const groupOfCommon = new Int32Array(all.length);
  for (const [quarter, own] of quarters) {
    const known = new Map<GroupKey, number>();
    for (const index of own) {
      const key = keyOf((all[index] as Common<Keys>).keys);
      groupOfCommon[index] = groupIn(known, groups, instant(quarter), key);
    }
  }
  return { groups, groupOf: through(numberOf, groupOfCommon) };
}

/** The same requests by a longer period. */
export function groupsByLonger({ groups, groupOf }: RequestGroups, startOf: (at: Instant) => Instant): RequestGroups {
  const longer: PeriodGroup[] = [];
  const known = new Map<Instant, Map<GroupKey, number>>();
  const longerOf = Int32Array.from(groups, ({ start, key }) => {
    const own = startOf(start);
    const ofStart = known.get(own) ?? new Map<GroupKey, number>();
    known.set(own, ofStart);
    return groupIn(ofStart, longer, own, key);
  });
  // Groups keep their numbers if none is joined with another one.
  return { groups: longer, groupOf: longer.length === groups.length ? groupOf : through(groupOf, longerOf) };
}

function through(numbers: Int32Array, numberOf: Int32Array): Int32Array {
  const result = new Int32Array(numbers.length);
  for (let index = 0; index < result.length; index++) result[index] = numberOf[numbers[index] as number] as number;
  return result;
}

function groupIn(known: Map<GroupKey, number>, groups: PeriodGroup[], start: Instant, key: GroupKey): number {
  let group = known.get(key);
  if (group === undefined) {
    group = groups.push({ start, key }) - 1;
    known.set(key, group);
  }
  return group;
}
