import { fixed, integer, median, print, printTable, sum } from './figures.ts';
import type { UnavailableShares } from './machineTimes.ts';
import { type Measurement, measure } from './measure.ts';
import type { Provider } from './provider.ts';
import type { Servers } from './servers.ts';
import type { Side } from './side.ts';
import { addTo, total } from './threadTimes.ts';
import { wrk } from './wrk.ts';

/** The measurements of both sides, one per round. */
export interface Comparison {
  readonly bare: readonly Measurement[];
  readonly product: readonly Measurement[];
  /** Requests that the product completed in all loads, the warm-up included. */
  readonly completed: number;
  /** Maximum number of requests that wrk cut off at the end of its loads. */
  readonly maxCutOff: number;
  readonly failures: number;
}

/** What a comparison sends. */
export interface Rounds {
  readonly bodies: string;
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
}

/** Measures bare and product in turns, so that changes of the machine affect both. */
export async function compare(
  sides: { bare: Side | undefined; product: Side },
  context: { provider: Provider; servers: Servers },
  rounds: Rounds,
): Promise<Comparison> {
  const { bare, product } = sides;
  if (bare) await wrk(bare.url, rounds.warmUpSeconds, { ...rounds, key: bare.key });
  const warmUp = await wrk(product.url, rounds.warmUpSeconds, { ...rounds, key: product.key });

  const results = { bare: [] as Measurement[], product: [] as Measurement[] };
  for (let round = 1; round <= rounds.rounds; round++) {
    const [a, b] = [bare && (await measure(bare, context, rounds)), await measure(product, context, rounds)];
    if (a) results.bare.push(a);
    results.product.push(b);
    const ratio = a ? `  ratio ${fixed(b.rps / a.rps, 3)}` : '';
    const unavailable = (share: keyof UnavailableShares) =>
      fixed(100 * Math.max(a?.unavailable[share] ?? 0, b.unavailable[share]), 0);
    print(
      `  round ${round}${a ? describe('bare', a) : ''}${describe('product', b)}${ratio}` +
        `  others ${unavailable('others')} % stolen ${unavailable('stolen')} %`,
    );
  }
  return {
    ...results,
    completed: warmUp.requests + sum(results.product.map(({ load }) => load.requests)),
    maxCutOff: (rounds.rounds + 1) * rounds.connections,
    failures: sum([...results.bare, ...results.product].map((measurement) => measurement.failures)),
  };
}

const describe = (name: string, { rps, failures, load, cpu }: Measurement): string =>
  `  ${name} ${integer(rps).padStart(6)} req/s ${fixed(total(cpu) / load.requests, 1).padStart(6)} us` +
  ` p99 ${fixed(load.p99Us / 1000, 1)} ms errors ${failures}`;

/** Prints medians, the ratio and the CPU time per request of each thread. */
export function printComparison({ bare, product }: Comparison): void {
  const rps = (measurements: readonly Measurement[]) => median(measurements.map((measurement) => measurement.rps));
  print(
    `  median   ${bare.length > 0 ? `bare ${integer(rps(bare))} req/s, ` : ''}product ${integer(rps(product))} req/s`,
  );
  if (bare.length > 0) {
    const ratios = product.map((measurement, index) => measurement.rps / (bare[index]?.rps ?? Number.NaN));
    print(`  RATIO    ${fixed(median(ratios), 3)} (median of the pairs; ${ratios.map((r) => fixed(r, 2)).join(' ')})`);
  }
  print('\n  CPU per request, microseconds (deferred work after the load included)');
  printTable([
    ...(bare.length > 0 ? threadRows('bare', bare) : []),
    ...threadRows('product', product),
    ...(bare.length > 0
      ? [['product / bare, all threads', fixed(cpuPerRequest(product) / cpuPerRequest(bare), 2)]]
      : []),
    ['provider (nginx), during product', perRequest(product, ({ providerCpuUs }) => providerCpuUs)],
    ...(product.some(({ serversCpuUs }) => serversCpuUs > 0)
      ? [['local servers of the product', perRequest(product, ({ serversCpuUs }) => serversCpuUs)]]
      : []),
  ]);
}

function threadRows(name: string, measurements: readonly Measurement[]): string[][] {
  const threads = new Map<string, number>();
  for (const { cpu } of measurements) addTo(threads, cpu);
  const requests = sum(measurements.map(({ load }) => load.requests));
  const costs = [...threads].map(([thread, us]) => [thread, us / requests] as const).sort(([, a], [, b]) => b - a);
  const listed = costs.filter(([thread, us]) => thread === 'main' || us >= 0.5);
  const rest = sum(costs.filter((cost) => !listed.includes(cost)).map(([, us]) => us));
  return [
    ...listed.map(([thread, us]) => [`${name}: ${thread}`, fixed(us, 1)]),
    [`${name}: ${costs.length - listed.length} other threads`, fixed(rest, 1)],
    [`${name}: total`, perRequest(measurements, ({ cpu }) => total(cpu))],
    [`${name}: of which after the load`, perRequest(measurements, ({ lateCpuUs }) => lateCpuUs)],
  ];
}

const cpuPerRequest = (measurements: readonly Measurement[]): number =>
  sum(measurements.map(({ cpu }) => total(cpu))) / sum(measurements.map(({ load }) => load.requests));

const perRequest = (measurements: readonly Measurement[], cost: (measurement: Measurement) => number): string =>
  fixed(sum(measurements.map(cost)) / sum(measurements.map(({ load }) => load.requests)), 1);
