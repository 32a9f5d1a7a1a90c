import { type Missing, machineTimes, missingShares } from './machineTimes.ts';
import type { Provider } from './provider.ts';
import type { Servers } from './servers.ts';
import type { Side } from './side.ts';
import { type ThreadTimes, threadTimes, total, untilQuiet, usedBetween } from './threadTimes.ts';
import { failures, type LoadResult, requestsPerSecond, wrk } from './wrk.ts';

export interface Measurement {
  readonly load: LoadResult;
  readonly rps: number;
  readonly failures: number;
  /** CPU of each thread of the side from the start of the load until the side was quiet again, microseconds. */
  readonly cpu: ThreadTimes;
  /** The part of `cpu` that was used after the load had ended: work put off. */
  readonly lateCpuUs: number;
  readonly providerCpuUs: number;
  /** What the servers behind the side used until it was quiet again; those that run elsewhere count nothing. */
  readonly serversCpuUs: number;
  readonly missing: Missing;
}

/** One side under full load for some seconds. */
export async function measure(
  side: Side,
  { provider, servers }: { provider: Provider; servers: Servers },
  load: { bodies: string; connections: number; seconds: number },
): Promise<Measurement> {
  const providerBefore = threadTimes(provider.pid);
  const before = threadTimes(side.pid);
  const serversBefore = servers.cpuUs();
  const machineBefore = machineTimes();
  const result = await wrk(side.url, load.seconds, { ...load, key: side.key });
  const machineAfter = machineTimes();
  const during = total(usedBetween(before, threadTimes(side.pid)));
  const providerCpuUs = total(usedBetween(providerBefore, threadTimes(provider.pid)));
  const serversDuring = servers.cpuUs() - serversBefore;
  await untilQuiet(side.pid);
  const cpu = usedBetween(before, threadTimes(side.pid));
  return {
    load: result,
    rps: requestsPerSecond(result),
    failures: failures(result),
    cpu,
    lateCpuUs: total(cpu) - during,
    providerCpuUs,
    serversCpuUs: servers.cpuUs() - serversBefore,
    missing: missingShares(machineBefore, machineAfter, during + providerCpuUs + serversDuring),
  };
}
