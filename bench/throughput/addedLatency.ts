import { fixed, integer, mean, print, printTable, sum } from './figures.ts';
import type { Side } from './side.ts';
import { measureSyncedWrite } from './syncedWrite.ts';
import { waitUntilIdle } from './threadTimes.ts';
import { failuresOf, type LoadResult, wrk } from './wrk.ts';

export interface AddedLatency {
  /** Requests that the product completed. wrk cuts none off, so the request log must have exactly this number of rows. */
  readonly completed: number;
  readonly failures: number;
}

const TURNS = 2;
/** A run lasts as long as this many rounds, because the start of a load (full collections, recompiled code) is not typical. */
const LENGTH_FACTOR = 3;
const MAX_OPEN = 128;

/**
 * Loads both sides in turns at the same rate; the difference is the latency that the product adds. Printed beside what a
 * synced write takes at that rate, which the end of each answer waits for.
 */
export async function measureAddedLatency(
  sides: { base: Side | undefined; product: Side },
  { rate, seconds, bodies, folder }: { rate: number; seconds: number; bodies: string; folder: string },
): Promise<AddedLatency> {
  const { base, product } = sides;
  const syncedWrite = await measureSyncedWrite(folder, rate);
  const load = (side: Side) =>
    wrk(side.url, LENGTH_FACTOR * seconds, { bodies, key: side.key, connections: MAX_OPEN, rate });
  const results = { base: [] as LoadResult[], product: [] as LoadResult[] };
  for (let turn = 0; turn < TURNS; turn++) {
    if (base) results.base.push(await load(base));
    results.product.push(await load(product));
    await waitUntilIdle(product.pid);
  }

  print(
    `\n  Latency to the last byte of the response, open loop at ${integer(rate)} req/s, mean of ${TURNS} turns, ms`,
  );
  const columns = ['p50Us', 'p90Us', 'p99Us', 'p999Us'] as const;
  const percents = [50, 90, 99, 99.9];
  const row = (name: string, value: (column: (typeof columns)[number]) => number) => [
    name,
    ...columns.map((column) => fixed(value(column) / 1000, 2)),
  ];
  const meanOf = (results: readonly LoadResult[]) => (column: (typeof columns)[number]) =>
    mean(results.map((result) => result[column]));
  const [baseMean, productMean] = [meanOf(results.base), meanOf(results.product)];
  printTable([
    ['', 'p50', 'p90', 'p99', 'p99.9'],
    ...(base ? [row(base.name, baseMean)] : []),
    row('product', productMean),
    ...(base ? [row('ADDED', (column) => productMean(column) - baseMean(column))] : []),
    ['a synced write', ...percents.map((percent) => fixed(syncedWrite(percent), 2))],
  ]);
  return {
    completed: sum(results.product.map(({ requests }) => requests)),
    failures: sum([...results.base, ...results.product].map(failuresOf)),
  };
}
