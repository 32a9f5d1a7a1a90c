import { Binary } from 'mongodb';
import {
  FIGURE_PERIODS,
  FIGURE_SUMS,
  type FigureSums,
  type Grouping,
  groupings,
} from '../../../projections/figures.ts';
import { type Period, startOf } from '../../../projections/periods.ts';
import type { Instant, Position } from '../../domain/core/brands.ts';
import { type EncodedCounts, GroupedCounts, type GroupKey } from '../figureCounts.ts';
import type { StoredFigures } from './documents.ts';
import type { Stored } from './rollUps.ts';

/** What an event or an archived segment adds to groups. */
export interface FigurePart {
  readonly position: Position;
  /** Sums as in `archivedFigureOf`. */
  readonly counts: readonly (readonly [by: Grouping, key: GroupKey, sums: Readonly<Record<string, number>>])[];
}

/** What a batch adds in one period. */
export interface FigureAddition {
  readonly period: Period;
  readonly start: Instant;
  readonly parts: FigurePart[];
}

/** Adds to each period that contains a moment, by the id of the document to change. */
export function addFigures(additions: Map<string, FigureAddition>, at: Instant, part: FigurePart): void {
  for (const period of FIGURE_PERIODS) {
    const start = startOf(period, at);
    const _id = `${period} ${start}`;
    const addition = additions.get(_id);
    if (addition) addition.parts.push(part);
    else additions.set(_id, { period, start, parts: [part] });
  }
}

/** The document of a period after a batch. Parts that the stored one already includes are skipped. */
export function figuresAfter(
  _id: string,
  stored: Stored | undefined,
  { period, start, parts }: FigureAddition,
  upTo: Position,
): Stored {
  const groups = new Map(groupings.map((by) => [by, countsOf(stored?.[by] as readonly StoredFigures[] | undefined)]));
  for (const { position, counts } of parts) {
    if (stored && position <= stored.position) continue;
    for (const [by, key, sums] of counts) groups.get(by)?.of(key).addArchived(sums);
  }
  const fields = [...groups].map(([by, each]) => [by, storedFigures(each)] as const);
  return { _id, period, start, position: upTo, ...Object.fromEntries(fields) };
}

function countsOf(figures: readonly StoredFigures[] = []): GroupedCounts {
  const counts = new GroupedCounts();
  for (const each of figures) counts.of(each.group).addEncoded(encodedCounts(each));
  return counts;
}

/** In the order of keys, whatever the batches were. */
const storedFigures = ({ groups }: GroupedCounts): StoredFigures[] =>
  [...groups.keys()].sort().map((group) => {
    const { sums, latency, firstByte } = groups.get(group) as NonNullable<ReturnType<typeof groups.get>>;
    const stored = Object.fromEntries(FIGURE_SUMS.map((name) => [name, sums[name]])) as unknown as FigureSums;
    return { group, ...stored, latency: new Binary(latency.encode()), firstByte: new Binary(firstByte.encode()) };
  });

/** Figures as they are added to counts. */
export const encodedCounts = ({ latency, firstByte, ...sums }: StoredFigures): EncodedCounts => ({
  ...sums,
  latency: latency.value(),
  firstByte: firstByte.value(),
});
