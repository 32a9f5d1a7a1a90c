import { fixed, mean, print, sum, table, whole } from './figures.ts';
import type { Side } from './side.ts';
import { untilQuiet } from './threadTimes.ts';
import { failures, type LoadResult, wrk } from './wrk.ts';

export interface AddedLatency {
  /** Requests that the product answered; none is cut off here, so the request log must know exactly these. */
  readonly completed: number;
  readonly failures: number;
}

const turns = 2;
/** As long as several rounds: the first moments of a load (full collections, code made again) are not what its 99 % are. */
const lasts = 3;
const mayBeOpen = 128;

/** Both sides at the same rate by turns; what the product takes longer is what it adds. */
export async function addedLatency(
  sides: { bare: Side | undefined; product: Side },
  { rate, seconds, bodies }: { rate: number; seconds: number; bodies: string },
): Promise<AddedLatency> {
  const { bare, product } = sides;
  const at = (side: Side) => wrk(side.url, lasts * seconds, { bodies, key: side.key, connections: mayBeOpen, rate });
  const of = { bare: [] as LoadResult[], product: [] as LoadResult[] };
  for (let turn = 0; turn < turns; turn++) {
    if (bare) of.bare.push(await at(bare));
    of.product.push(await at(product));
    await untilQuiet(product.pid);
  }

  print(`\n  Latency to the answer's last byte, open loop at ${whole(rate)} req/s, mean of ${turns} turns, ms`);
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
    failures: sum([...of.bare, ...of.product].map(failures)),
  };
}
