import { type JobName, repeatJob } from './besideJob.ts';
import { machineTimes, type UnavailableShares, unavailableShares } from './machineTimes.ts';
import type { Provider } from './provider.ts';
import type { Servers } from './servers.ts';
import type { Side } from './side.ts';
import { type ThreadTimes, threadTimes, total, usedBetween, waitUntilIdle } from './threadTimes.ts';
import { failuresOf, type LoadResult, requestsPerSecond, wrk } from './wrk.ts';

/** One side under full load. */
export interface Measurement {
  readonly load: LoadResult;
  readonly rps: number;
  readonly failures: number;
  /** CPU time of each thread from the start of the load until the process is idle again, in microseconds. */
  readonly cpu: ThreadTimes;
  /** The part of `cpu` after the end of the load: deferred work. */
  readonly lateCpuUs: number;
  readonly providerCpuUs: number;
  /** CPU time of the local servers that the side uses, in microseconds. */
  readonly serversCpuUs: number;
  readonly unavailable: UnavailableShares;
  /** How often the job beside the load ended. */
  readonly jobs: number;
}

/** Measures one side under full load. @param beside a job of the service that runs from before the load until its end */
export async function measure(
  side: Side,
  { provider, servers }: { provider: Provider; servers: Servers },
  load: { bodies: string; connections: number; seconds: number },
  beside?: JobName,
): Promise<Measurement> {
  const providerBefore = threadTimes(provider.pid);
  const before = threadTimes(side.pid);
  const serversBefore = servers.cpuUs();
  const job = beside && (await repeatJob(side.base, beside));
  const machineBefore = machineTimes();
  const result = await wrk(side.url, load.seconds, { ...load, key: side.key });
  const machineAfter = machineTimes();
  const during = total(usedBetween(before, threadTimes(side.pid)));
  const providerCpuUs = total(usedBetween(providerBefore, threadTimes(provider.pid)));
  const serversDuring = servers.cpuUs() - serversBefore;
  const jobs = (await job?.stop()) ?? 0;
  await waitUntilIdle(side.pid);
  const cpu = usedBetween(before, threadTimes(side.pid));
  return {
    load: result,
    rps: requestsPerSecond(result),
    failures: failuresOf(result),
    cpu,
    lateCpuUs: total(cpu) - during,
    providerCpuUs,
    serversCpuUs: servers.cpuUs() - serversBefore,
    jobs,
    unavailable: unavailableShares(machineBefore, machineAfter, during + providerCpuUs + serversDuring),
  };
}
