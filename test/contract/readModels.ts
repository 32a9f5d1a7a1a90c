import { describe } from 'vitest';
import type { Instant, Position } from '../../src/domain/brands.ts';
import type { DomainEvent } from '../../src/domain/event.ts';
import type { RequestLogQueries } from '../../src/readModels/requestLogQueries.ts';
import type { RequestTotalsQueries } from '../../src/readModels/requestTotalsQueries.ts';
import type { UsageTrendsQueries } from '../../src/readModels/usageTrendsQueries.ts';
import { requestLogPages } from './readModels/requestLogPages.ts';
import { requestLogSearch } from './readModels/requestLogSearch.ts';
import { requestTotals } from './readModels/requestTotals.ts';
import { usageTrends } from './readModels/usageTrends.ts';

/** An event and when it happened; without a time, at `NOW`. */
export type Happened = DomainEvent & { readonly time?: Instant };

/** An empty log and the read models that follow it, for one test. */
export interface ReadModelsUnderTest extends AsyncDisposable {
  readonly requestLog: RequestLogQueries;
  readonly requestTotals: RequestTotalsQueries;
  readonly usageTrends: UsageTrendsQueries;
  /** Appends events. @returns the position of the last */
  append(...events: Happened[]): Promise<Position>;
}

export type ReadModelsFactory = () => Promise<ReadModelsUnderTest>;

/** What read models answer, over any store. */
export function describeReadModels(name: string, createReadModels: ReadModelsFactory): void {
  describe(`${name}: read models`, () => {
    requestLogPages(createReadModels);
    requestLogSearch(createReadModels);
    requestTotals(createReadModels);
    usageTrends(createReadModels);
  });
}
