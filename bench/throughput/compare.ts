import type { JobName } from './besideJob.ts';
import { fixed, integer, median, print, printTable, sum } from './figures.ts';
import type { UnavailableShares } from './machineTimes.ts';
import { type Measurement, measure } from './measure.ts';
import type { Provider } from './provider.ts';
import type { Servers } from './servers.ts';
import type { Side } from './side.ts';
import { addTo, total, waitUntilIdle } from './threadTimes.ts';
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
  /** The bare pass-through or another version; undefined without one. */
  readonly base: { readonly name: string; readonly measurements: readonly Measurement[] } | undefined;
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

/** Measures the base and each endpoint of the product in turns, so that changes of the machine affect all. */
export async function compare(
  base: Side | undefined,
  targets: readonly [Target, ...Target[]],
  context: { provider: Provider; servers: Servers },
  rounds: Rounds,
): Promise<Comparison> {
  const [first, ...others] = targets;
  const completed = await warmUp(base && { ...first, side: base }, targets, rounds);

  const baseMeasurements: Measurement[] = [];
  const product = [measurementsOf(first), ...others.map(measurementsOf)] as const;
  for (let round = 1; round <= rounds.rounds; round++) {
    const a = base && (await measure(base, context, { ...rounds, bodies: first.bodies }));
    if (a) baseMeasurements.push(a);
    let line = `  round ${round}${a ? describe(base.name, a) : ''}`;
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
    base: base && { name: base.name, measurements: baseMeasurements },
    product: product as readonly [MeasuredSurface, ...MeasuredSurface[]],
    completed: completed + sum(ofProduct.map(({ load }) => load.requests)),
    maxCutOff: (rounds.rounds + turnsOfWarmUp(rounds)) * targets.length * rounds.connections,
    failures: sum([...baseMeasurements, ...ofProduct].map((measurement) => measurement.failures)),
  };
}

const turnsOfWarmUp = ({ warmUpSeconds, seconds }: Rounds): number => Math.ceil(warmUpSeconds / seconds);

/**
 * Loads all sides in turns as long as those of a round, each until it is idle again. A side that rested while the others were loaded for
 * long would compile its code again in the first round, beside what the others still had to do.
 * @returns the requests that the product completed
 */
async function warmUp(base: Target | undefined, targets: readonly Target[], rounds: Rounds): Promise<number> {
  let completed = 0;
  for (let left = rounds.warmUpSeconds; left > 0; left -= rounds.seconds) {
    const seconds = Math.min(left, rounds.seconds);
    for (const target of [base, ...targets]) {
      if (!target || target.beside) continue;
      const { side, bodies } = target;
      const { requests } = await wrk(side.url, seconds, { ...rounds, bodies, key: side.key });
      if (target !== base) completed += requests;
      await waitUntilIdle(side.pid);
    }
  }
  return completed;
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
export function printComparison({ base, product }: Comparison): void {
  const rps = (measurements: readonly Measurement[]) => integer(median(measurements.map(({ rps }) => rps)));
  const medians = product.map(({ surface, measurements }) => `${surface} ${rps(measurements)} req/s`);
  print(`  median   ${[...(base ? [`${base.name} ${rps(base.measurements)} req/s`] : []), ...medians].join(', ')}`);
  const [first, ...others] = product;
  if (base) printRatio(`${first.surface} / ${base.name}`, first.measurements, base.measurements);
  for (const { surface, measurements } of others) {
    printRatio(`${surface} / ${first.surface}`, measurements, first.measurements);
  }
  print('\n  CPU per request, microseconds (deferred work after the load included)');
  printTable([
    ...(base ? threadRows(base.name, base.measurements) : []),
    ...product.flatMap(({ surface, measurements }) => threadRows(surface, measurements)),
    ...(base ? [[`product / ${base.name}, all threads`, cpuRatio(first.measurements, base.measurements)]] : []),
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

/** CPU of a request over that of the base: of all rounds, and the median of their pairs, which a slow minute of the machine does not move. */
function cpuRatio(side: readonly Measurement[], base: readonly Measurement[]): string {
  const pairs = side.map(
    (measurement, index) => cpuPerRequest([measurement]) / cpuPerRequest(base.slice(index, index + 1)),
  );
  return `${fixed(cpuPerRequest(side) / cpuPerRequest(base), 2)} (median of the pairs ${fixed(median(pairs), 2)})`;
}

const cpuPerRequest = (measurements: readonly Measurement[]): number =>
  sum(measurements.map(({ cpu }) => total(cpu))) / sum(measurements.map(({ load }) => load.requests));

const perRequest = (measurements: readonly Measurement[], cost: (measurement: Measurement) => number): string =>
  fixed(sum(measurements.map(cost)) / sum(measurements.map(({ load }) => load.requests)), 1);
