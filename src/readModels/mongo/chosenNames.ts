import { KindNames } from '../kindNames.ts';
import { MonthlyNames } from '../monthlyNames.ts';
import type { Collections } from './collections.ts';
import { loadFigureNames } from './figureNames.ts';

/** The names within the bounds of what clients choose freely: see `MonthlyNames` and `KindNames`. */
export interface ChosenNames {
  readonly figures: MonthlyNames;
  readonly kinds: KindNames;
}

/** Those before the first event. */
export const noNames = (): ChosenNames => ({ figures: new MonthlyNames(), kinds: new KindNames() });

/** All names within the bounds, for the node that projects: it decides about new ones. */
export async function loadNames(collections: Pick<Collections, 'figureNames' | 'kinds'>): Promise<ChosenNames> {
  const kinds = new KindNames();
  for await (const kind of collections.kinds.find()) kinds.load(kind);
  return { figures: await loadFigureNames(collections), kinds };
}
