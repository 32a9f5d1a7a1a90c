import { describe } from 'vitest';
import type { Position } from '../../src/domain/core/brands.ts';
import type { ReadModelPorts } from '../../src/readModels/readModels.ts';
import type { Happened } from './readModels/appending.ts';
import { history } from './readModels/history.ts';
import { progress } from './readModels/progress.ts';
import { requestLogPages } from './readModels/requestLogPages.ts';
import { requestLogSearch } from './readModels/requestLogSearch.ts';
import { requestTotals } from './readModels/requestTotals.ts';
import { usageTrends } from './readModels/usageTrends.ts';

/** An empty log and the read models that follow it, for one test. */
export interface ReadModelsUnderTest extends ReadModelPorts, AsyncDisposable {
  /** Appends events. @returns the position of the last */
  append(...events: Happened[]): Promise<Position>;
}

export type ReadModelsFactory = () => Promise<ReadModelsUnderTest>;

/** How many events, or rounds, of so many in full: a store that reads every document for every query gets a part. */
export type Scaled = (count: number) => number;

/** What read models answer, over any store. */
export function describeReadModels(name: string, createReadModels: ReadModelsFactory, { scale = 1 } = {}): void {
  const scaled: Scaled = (count) => Math.ceil(count * scale);
  describe(`${name}: read models`, () => {
    requestLogPages(createReadModels, scaled);
    requestLogSearch(createReadModels);
    requestTotals(createReadModels, scaled);
    usageTrends(createReadModels);
    history(createReadModels, scaled);
    progress(createReadModels);
  });
}
