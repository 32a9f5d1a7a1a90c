import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureAddedLatency } from './addedLatency.ts';
import { bodies, countStrings } from './bodies.ts';
import { checkRequestLog } from './checkRequestLog.ts';
import { killChildren } from './child.ts';
import { compare, printComparison, type Target } from './compare.ts';
import { integer, median, print } from './figures.ts';
import { requestLogTotal } from './management.ts';
import { type BodyKind, type Options, readOptions, type SurfaceName, USAGE } from './options.ts';
import { profileRound } from './profileRound.ts';
import { type Provider, startProvider } from './provider.ts';
import { type Servers, startServers } from './servers.ts';
import { type Side, startBare, startProduct, withSurface } from './side.ts';
import { writeBodies } from './wrk.ts';

async function run(options: Options, folder: string): Promise<boolean> {
  const { connections, entry } = options;
  print(`node ${process.version}, ${availableParallelism()} cores, ${connections} connections, files in ${folder}`);
  const provider = await startProvider(folder);
  const servers = await startServers(options, folder);
  const base = await startBase(provider, options, folder, servers.env);
  const product = await startProduct(provider, { entry, folder, label: 'product', env: servers.env });
  let isValid = true;
  for (const kind of options.bodies)
    isValid = (await benchBody(kind, { base, product }, { provider, servers }, options, folder)) && isValid;
  await product.stop();
  await servers.stop();
  if (options.profile) {
    for (const kind of options.bodies) {
      for (const surface of options.surfaces) await profileSurface(kind, surface, provider, options, folder);
    }
  }
  return isValid;
}

/** The side that each round measures first: another version, or the bare pass-through. */
async function startBase(
  provider: Provider,
  { against, productOnly }: Options,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Side | undefined> {
  if (productOnly) return undefined;
  if (against === undefined) return startBare(provider, folder);
  const other = await startProduct(provider, { entry: against, folder, label: 'against', env });
  return { ...other, name: 'against' };
}

async function benchBody(
  kind: BodyKind,
  sides: { base: Side | undefined; product: Side },
  context: { provider: Provider; servers: Servers },
  options: Options,
  folder: string,
): Promise<boolean> {
  const { base, product } = sides;
  const [firstSurface, ...otherSurfaces] = options.surfaces;
  const targetOf = (surface: SurfaceName): Target => {
    const sessions = bodies(kind, surface);
    const json = sessions[0]?.json ?? '';
    const size = `${integer(json.length)} bytes, ${countStrings(json)} strings, ${sessions.length} sessions`;
    print(`\n${kind} body of ${surface}: ${size}`);
    const files = writeBodies(join(folder, `${kind}-${surface}`), sessions);
    return { surface, side: withSurface(product, surface), bodies: files };
  };
  const first = targetOf(firstSurface);
  const beside: Target[] = options.beside
    ? [{ ...first, surface: `${firstSurface} beside ${options.beside}`, beside: options.beside }]
    : [];
  const targets = [first, ...beside, ...otherSurfaces.map(targetOf)] as const;
  const url = product.base;
  const rowsBefore = await requestLogTotal(url, -1);
  const comparison = await compare(base && withSurface(base, firstSurface), targets, context, options);
  printComparison(comparison);
  print();
  const isFullLoadLogged = await checkRequestLog(url, rowsBefore, { what: 'full load', ...comparison });

  const half = median(comparison.product[0].measurements.map(({ rps }) => rps)) / 2;
  const loads = [{ what: 'half load', rate: half }, ...options.rates.map((rate) => ({ what: `${rate} req/s`, rate }))];
  let { failures } = comparison;
  let isLogged = isFullLoadLogged;
  for (const { what, rate } of loads) {
    const rowsLoaded = await requestLogTotal(url, -1);
    const load = { rate, seconds: options.seconds, bodies: first.bodies, folder };
    const latency = await measureAddedLatency({ base, product: first.side }, load);
    failures += latency.failures;
    print();
    isLogged =
      (await checkRequestLog(url, rowsLoaded, { what, completed: latency.completed, maxCutOff: 0 })) && isLogged;
  }
  if (failures > 0) print(`  !!! ${failures} REQUESTS FAILED: the figures above are not valid`);
  return failures === 0 && isLogged;
}

async function profileSurface(
  kind: BodyKind,
  surface: SurfaceName,
  provider: Provider,
  options: Options,
  folder: string,
): Promise<void> {
  const label = `profile-${kind}-${surface}`;
  const load = { bodies: writeBodies(join(folder, label), bodies(kind, surface)), connections: options.connections };
  const servers = await startServers(options, folder);
  await profileRound(provider, { ...options, folder, label, surface, load, env: servers.env });
  await servers.stop();
}

const options = readOptions(process.argv.slice(2));
if (typeof options === 'string') {
  print(options);
  process.exit(options === USAGE ? 0 : 2);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const interrupted = () => process.exit(130);
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  process.once('exit', (code) => {
    killChildren();
    // The logs of the programs show what went wrong.
    if (options.keep || code === 1) print(`files kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  });
  const isValid = await run(options, folder).catch((error: Error) => {
    print(`\n!!! ${error.message}`);
    return false;
  });
  print(
    isValid ? '\nevery request succeeded, and every response is in the request log' : '\n!!! THIS RUN IS NOT VALID',
  );
  process.exit(isValid ? 0 : 1);
}
