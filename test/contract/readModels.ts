import { describe } from 'vitest';
import type { Position } from '../../src/domain/core/brands.ts';
import type { ReadModelPorts } from '../../src/readModels/readModels.ts';
import type { TestEvent } from './readModels/appending.ts';
import { archivedDays } from './readModels/archivedDays.ts';
import type { TestArchive } from './readModels/archiving.ts';
import { figures } from './readModels/figures.ts';
import { history } from './readModels/history.ts';
import { inventedNames } from './readModels/inventedNames.ts';
import { pastMoments } from './readModels/pastMoments.ts';
import { progress } from './readModels/progress.ts';
import { requestLogPages } from './readModels/requestLogPages.ts';
import { requestLogSearch } from './readModels/requestLogSearch.ts';
import { requestTotals } from './readModels/requestTotals.ts';
import { usageTrends } from './readModels/usageTrends.ts';

/** An empty log and the read models that follow it, for one test. */
export interface ReadModelsUnderTest extends ReadModelPorts, AsyncDisposable {
  /** Appends events. @returns the position of the last one */
  append(...events: TestEvent[]): Promise<Position>;
  /** Archives and restores days of the log, for `describeArchivedReadModels`. */
  readonly archive?: TestArchive;
}

export type ReadModelsFactory = () => Promise<ReadModelsUnderTest>;

/** Scales a number of events or rounds down, for stores that scan all documents for each query. */
export type Scaled = (count: number) => number;

/** The test suite of the read model ports, for any store. */
export function describeReadModels(name: string, createReadModels: ReadModelsFactory, { scale = 1 } = {}): void {
  const scaled: Scaled = (count) => Math.ceil(count * scale);
  describe(`${name}: read models`, () => {
    requestLogPages(createReadModels, scaled);
    requestLogSearch(createReadModels);
    requestTotals(createReadModels, scaled);
    usageTrends(createReadModels);
    figures(createReadModels, scaled);
    inventedNames(createReadModels, scaled);
    history(createReadModels, scaled);
    pastMoments(createReadModels, scaled);
    progress(createReadModels);
  });
}

/** The test suite of read models of a log with archived days, for any store. Takes seconds. */
export const describeArchivedReadModels = (
  name: string,
  createReadModels: () => Promise<ReadModelsUnderTest & { readonly archive: TestArchive }>,
): void => {
  describe(`${name}: read models`, () => archivedDays(createReadModels));
};
