import { endOf, startOf } from '../../../projections/periods.ts';
import { type Instant, instant, type Position } from '../../domain/core/brands.ts';
import { MonthlyNames } from '../monthlyNames.ts';
import type { Collections } from './collections.ts';
import { type FigureNameDocument, idOf } from './documents.ts';
import { READ_OPTIONS } from './readView.ts';

/** The documents of names that have not been written yet. */
export const newNames = (names: MonthlyNames, since: Position): FigureNameDocument[] =>
  names.takeNew().map(({ month, by, name }) => ({ _id: `${month} ${by} ${idOf(name)}`, month, by, name, since }));

/** All names with groups of their own, for the node that projects: it decides which new ones get one. */
export async function loadFigureNames({ figureNames }: Pick<Collections, 'figureNames'>): Promise<MonthlyNames> {
  return namesIn(await figureNames.find().toArray());
}

/** The names of the months of a time range. */
export async function namesBetween(
  { figureNames }: Pick<Collections, 'figureNames'>,
  from: Instant,
  to: Instant,
): Promise<MonthlyNames> {
  const months: Instant[] = [];
  for (let month = startOf('month', from); month < to; month = endOf('month', month)) months.push(month);
  return namesIn(await figureNames.find({ month: { $in: months } }, READ_OPTIONS).toArray());
}

function namesIn(documents: readonly FigureNameDocument[]): MonthlyNames {
  const names = new MonthlyNames();
  for (const { month, by, name } of documents) names.load(instant(month), by, name);
  return names;
}
