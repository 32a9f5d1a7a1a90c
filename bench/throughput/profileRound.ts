import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fixed, print, printTable } from './figures.ts';
import type { SurfaceName } from './options.ts';
import { type SelfTime, selfTimes } from './profile.ts';
import type { Provider } from './provider.ts';
import { startProduct, withSurface } from './side.ts';
import { failuresOf, type Load, wrk } from './wrk.ts';

export interface ProfileRound {
  readonly entry: string;
  readonly folder: string;
  readonly label: string;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly surface: SurfaceName;
  readonly load: Omit<Load, 'key'>;
  /** Settings of the product besides the usual ones. */
  readonly env: Readonly<Record<string, string>>;
}

const MAX_FUNCTIONS = 25;

/**
 * Profiles a separate process under `--cpu-prof`, because profiling would distort a measured round. V8 writes a profile for
 * each thread when the process ends; only samples between the warm-up and the end of the load are read.
 */
export async function profileRound(provider: Provider, round: ProfileRound): Promise<void> {
  const { entry, folder, label, surface, seconds, warmUpSeconds, load, env } = round;
  const profileInto = join(folder, `${label}-profiles`);
  mkdirSync(profileInto);
  const started = await startProduct(provider, { entry, folder, label, profileInto, env });
  const product = withSurface(started, surface);
  await wrk(product.url, warmUpSeconds, { ...load, key: product.key });
  const from = monotonicUs();
  const result = await wrk(product.url, seconds, { ...load, key: product.key });
  const until = monotonicUs();
  await product.stop();

  const files = readdirSync(profileInto).filter((name) => name.endsWith('.cpuprofile'));
  if (files.length === 0) print(`  !!! no profile in ${profileInto}: did the service end on SIGTERM?`);
  // CPU.<date>.<time>.<pid>.<thread>.<n>.cpuprofile; thread 0 is the main thread.
  for (const file of files.sort((a, b) => threadOf(a) - threadOf(b))) {
    const functions = selfTimes(join(profileInto, file), from, until);
    const thread = threadOf(file) === 0 ? 'main thread' : `worker ${threadOf(file)}`;
    printProfile(
      `${label}, ${thread}, ${result.requests} requests, ${failuresOf(result)} errors`,
      functions,
      result.requests,
    );
  }
}

const monotonicUs = (): number => Number(process.hrtime.bigint() / 1000n);

const threadOf = (file: string): number => Number(file.split('.')[4] ?? 0);

function printProfile(title: string, functions: readonly SelfTime[], requests: number): void {
  const all = functions.reduce((sum, { us }) => sum + us, 0);
  const row = (name: string, us: number) => [name, fixed(us / requests, 2), `${fixed((100 * us) / all, 1)} %`];
  const groups = new Map<string, number>();
  for (const { group, us } of functions) groups.set(group, (groups.get(group) ?? 0) + us);

  print(`\n  Profile of ${title}: self time, microseconds per request`);
  printTable([
    ['by group', 'us', 'share'],
    ...[...groups].sort(([, a], [, b]) => b - a).map(([group, us]) => row(group, us)),
    ['all', fixed(all / requests, 2), ''],
    ['', '', ''],
    [`the ${MAX_FUNCTIONS} most expensive functions`, '', ''],
    ...functions.slice(0, MAX_FUNCTIONS).map(({ group, name, us }) => row(`${group}: ${name}`, us)),
  ]);
}
