import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { whenAborted } from '../../lib/whenAborted.ts';
import { joinLease } from '../../state/leases/lease.ts';
import type { LeaseTerm } from '../../state/leases/leaseTerm.ts';
import { permanentLeaseTerm } from '../../state/leases/leaseTerm.ts';
import type { Store } from './store.ts';

export interface LeaderTasksOptions {
  readonly store: Store;
  readonly folder: DataFolder;
  readonly report: (error: unknown) => void;
}

/** A task that the leader runs for all nodes until `stop` is called. */
export interface LeaderTask {
  /** The node that runs it, as far as this node knows. */
  readonly holder: string | undefined;
  /** Whether this node runs it. */
  readonly isHere: boolean;
  stop(): Promise<void>;
}

export interface LeaderTasks {
  /** @param work called when this node becomes the leader; must end soon after the term ends */
  start(name: string, work: (term: LeaseTerm) => Promise<void>): LeaderTask;
  /** The started tasks, by name. */
  readonly all: ReadonlyMap<string, LeaderTask>;
}

/** With a shared store, the nodes elect a leader for each task by a lease. With an embedded store the only node runs them all. */
export function createLeaderTasks({ store, folder, report }: LeaderTasksOptions): LeaderTasks {
  const all = new Map<string, LeaderTask>();
  return {
    start(name, work) {
      const task = store.leases
        ? startByLease(name, work, store.leases, folder, report)
        : startAlone(work, folder, report);
      all.set(name, task);
      return task;
    },
    all,
  };
}

type Work = (term: LeaseTerm) => Promise<void>;
type ReportError = (error: unknown) => void;

function startByLease(
  name: string,
  work: Work,
  streams: NonNullable<Store['leases']>,
  { node, boot }: DataFolder,
  report: ReportError,
): LeaderTask {
  const lease = joinLease({ name, streams, node, boot, work, report });
  return {
    get holder() {
      return lease.holder;
    },
    get isHere() {
      return lease.term !== undefined;
    },
    stop: lease.stop,
  };
}

function startAlone(work: Work, { node }: DataFolder, report: ReportError): LeaderTask {
  const stopping = new AbortController();
  const working = work({ ...permanentLeaseTerm(), signal: stopping.signal }).catch(report);
  return {
    holder: node,
    isHere: true,
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

/** Resolves when a lease term ends. */
export const whenTermEnds = ({ signal }: LeaseTerm): Promise<void> => whenAborted(signal);
