import { fixed, mean, print, sum, table, whole } from './figures.ts';
import type { Side } from './side.ts';
import { waitUntilIdle } from './threadTimes.ts';
import { failuresOf, type LoadResult, wrk } from './wrk.ts';

export interface AddedLatency {
  /** Requests that the product completed. None is cut off, so the request log must have exactly this number of rows. */
  readonly completed: number;
  readonly failures: number;
}

const TURNS = 2;
/** Runs are this many rounds long, because the start of a load (full collections, recompiled code) is not typical of it. */
const LENGTH_FACTOR = 3;
const MAX_OPEN = 128;

/** Loads both sides in turns at the same rate; the difference is the latency that the product adds. */
export async function measureAddedLatency(
  sides: { bare: Side | undefined; product: Side },
  { rate, seconds, bodies }: { rate: number; seconds: number; bodies: string },
): Promise<AddedLatency> {
  const { bare, product } = sides;
  const at = (side: Side) =>
    wrk(side.url, LENGTH_FACTOR * seconds, { bodies, key: side.key, connections: MAX_OPEN, rate });
  const of = { bare: [] as LoadResult[], product: [] as LoadResult[] };
  for (let turn = 0; turn < TURNS; turn++) {
    if (bare) of.bare.push(await at(bare));
    of.product.push(await at(product));
    await waitUntilIdle(product.pid);
  }

  print(`\n  Latency to the last byte of the response, open loop at ${whole(rate)} req/s, mean of ${TURNS} turns, ms`);
  const columns = ['p50Us', 'p90Us', 'p99Us', 'p999Us'] as const;
  const row = (name: string, value: (column: (typeof columns)[number]) => number) => [
    name,
    ...columns.map((column) => fixed(value(column) / 1000, 2)),
  ];
  const figure = (results: readonly LoadResult[]) => (column: (typeof columns)[number]) =>
    mean(results.map((result) => result[column]));
  const [ofBare, ofProduct] = [figure(of.bare), figure(of.product)];
  table([
    ['', 'p50', 'p90', 'p99', 'p99.9'],
    ...(bare ? [row('bare', ofBare)] : []),
    row('product', ofProduct),
    ...(bare ? [row('ADDED', (column) => ofProduct(column) - ofBare(column))] : []),
  ]);
  return {
    completed: sum(of.product.map(({ requests }) => requests)),
    failures: sum([...of.bare, ...of.product].map(failuresOf)),
  };
}
