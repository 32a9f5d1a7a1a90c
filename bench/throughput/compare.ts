import type { JobName } from './besideJob.ts';
import { fixed, integer, median, print, printTable, sum } from './figures.ts';
import type { UnavailableShares } from './machineTimes.ts';
import { type Measurement, measure } from './measure.ts';
import type { Provider } from './provider.ts';
import type { Servers } from './servers.ts';
import type { Side } from './side.ts';
import { addTo, total } from './threadTimes.ts';
import { wrk } from './wrk.ts';

/** One endpoint of the product under one kind of requests. */
export interface Target {
  /** The endpoint, and what runs beside the load. */
  readonly surface: string;
  /** A job of the product that runs during the load. */
  readonly beside?: JobName;
  /** The product, with the endpoint as its `url`. */
  readonly side: Side;
  /** Folder written by `writeBodies`. */
  readonly bodies: string;
}

/** The measurements of one endpoint, one per round. */
export interface MeasuredSurface {
  readonly surface: string;
  readonly measurements: readonly Measurement[];
}

/** The measurements of both sides. */
export interface Comparison {
  readonly bare: readonly Measurement[];
  readonly product: readonly [MeasuredSurface, ...MeasuredSurface[]];
  /** Requests that the product completed in all loads, the warm-up included. */
  readonly completed: number;
  /** Maximum number of requests that wrk cut off at the end of its loads. */
  readonly maxCutOff: number;
  readonly failures: number;
}

/** How a comparison loads its sides. */
export interface Rounds {
  readonly connections: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly rounds: number;
}

/** Measures bare and each endpoint of the product in turns, so that changes of the machine affect all. */
export async function compare(
  bare: Side | undefined,
  targets: readonly [Target, ...Target[]],
  context: { provider: Provider; servers: Servers },
  rounds: Rounds,
): Promise<Comparison> {
  const [first, ...others] = targets;
  const warmUp = (side: Side, bodies: string) =>
    wrk(side.url, rounds.warmUpSeconds, { ...rounds, bodies, key: side.key });
  if (bare) await warmUp(bare, first.bodies);
  let completed = 0;
  for (const { side, bodies, beside } of targets) if (!beside) completed += (await warmUp(side, bodies)).requests;

  const bareMeasurements: Measurement[] = [];
  const product = [measurementsOf(first), ...others.map(measurementsOf)] as const;
  for (let round = 1; round <= rounds.rounds; round++) {
    const a = bare && (await measure(bare, context, { ...rounds, bodies: first.bodies }));
    if (a) bareMeasurements.push(a);
    let line = `  round ${round}${a ? describe('bare', a) : ''}`;
    const all = a ? [a] : [];
    for (const [index, { surface, side, bodies, beside }] of targets.entries()) {
      const b = await measure(side, context, { ...rounds, bodies }, beside);
      product[index]?.measurements.push(b);
      all.push(b);
      line += describe(surface, b) + (a && index === 0 ? `  ratio ${fixed(b.rps / a.rps, 3)}` : '');
    }
    const unavailable = (share: keyof UnavailableShares) =>
      fixed(100 * Math.max(...all.map((measurement) => measurement.unavailable[share])), 0);
    print(`${line}  others ${unavailable('others')} % stolen ${unavailable('stolen')} %`);
  }
  const ofProduct = product.flatMap(({ measurements }) => measurements);
  return {
    bare: bareMeasurements,
    product: product as readonly [MeasuredSurface, ...MeasuredSurface[]],
    completed: completed + sum(ofProduct.map(({ load }) => load.requests)),
    maxCutOff: (rounds.rounds + 1) * targets.length * rounds.connections,
    failures: sum([...bareMeasurements, ...ofProduct].map((measurement) => measurement.failures)),
  };
}

const measurementsOf = ({ surface }: Target) => ({ surface, measurements: [] as Measurement[] });

const describe = (name: string, { rps, failures, load, cpu, jobs }: Measurement): string =>
  `  ${name} ${integer(rps).padStart(6)} req/s ${fixed(total(cpu) / load.requests, 1).padStart(6)} us` +
  ` p99 ${fixed(load.p99Us / 1000, 1)} ms errors ${failures}${jobs > 0 ? ` jobs ended ${jobs}` : ''}`;

/** Requests per second of a side over those of another one in the same rounds. */
function printRatio(what: string, side: readonly Measurement[], base: readonly Measurement[]): void {
  const ratios = side.map((measurement, index) => measurement.rps / (base[index]?.rps ?? Number.NaN));
  print(
    `  RATIO    ${fixed(median(ratios), 3)} ${what} (median of the pairs; ${ratios.map((r) => fixed(r, 2)).join(' ')})`,
  );
}

/** Prints medians, the ratios and the CPU time per request of each thread. */
export function printComparison({ bare, product }: Comparison): void {
  const rps = (measurements: readonly Measurement[]) => integer(median(measurements.map(({ rps }) => rps)));
  const medians = product.map(({ surface, measurements }) => `${surface} ${rps(measurements)} req/s`);
  print(`  median   ${[...(bare.length > 0 ? [`bare ${rps(bare)} req/s`] : []), ...medians].join(', ')}`);
  const [first, ...others] = product;
  if (bare.length > 0) printRatio(`${first.surface} / bare`, first.measurements, bare);
  for (const { surface, measurements } of others) {
    printRatio(`${surface} / ${first.surface}`, measurements, first.measurements);
  }
  print('\n  CPU per request, microseconds (deferred work after the load included)');
  printTable([
    ...(bare.length > 0 ? threadRows('bare', bare) : []),
    ...product.flatMap(({ surface, measurements }) => threadRows(surface, measurements)),
    ...(bare.length > 0
      ? [['product / bare, all threads', fixed(cpuPerRequest(first.measurements) / cpuPerRequest(bare), 2)]]
      : []),
    ...product.map(({ surface, measurements }) => [
      `provider (nginx), during ${surface}`,
      perRequest(measurements, ({ providerCpuUs }) => providerCpuUs),
    ]),
    ...(first.measurements.some(({ serversCpuUs }) => serversCpuUs > 0)
      ? [['local servers of the product', perRequest(first.measurements, ({ serversCpuUs }) => serversCpuUs)]]
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
