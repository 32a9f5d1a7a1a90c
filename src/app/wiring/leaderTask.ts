import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { joinLease } from '../../state/leases/lease.ts';
import type { LeaseTerm } from '../../state/leases/leaseTerm.ts';
import { permanentLeaseTerm } from '../../state/leases/leaseTerm.ts';
import type { Store } from './store.ts';

export interface LeaderTaskOptions {
  readonly store: Store;
  readonly folder: DataFolder;
  readonly report: (what: unknown) => void;
}

/** Work that one node does for all; it goes on until `stop`, here or elsewhere. */
export interface LeaderTask {
  /** The node that does it, as far as this one knows. */
  readonly holder: string | undefined;
  /** Whether it is done here. */
  readonly isHere: boolean;
  stop(): Promise<void>;
}

/** @param work ends soon after the tenure that it is given */
export function startLeaderTask(
  name: string,
  work: (tenure: LeaseTerm) => Promise<void>,
  { store, folder, report }: LeaderTaskOptions,
): LeaderTask {
  if (store.leases) {
    const { node, boot } = folder;
    const lease = joinLease({ name, streams: store.leases, node, boot, work, report });
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
  const ending = new AbortController();
  const working = work({ ...permanentLeaseTerm(), signal: ending.signal }).catch(report);
  return {
    holder: folder.node,
    isHere: true,
    async stop() {
      ending.abort();
      await working;
    },
  };
}

/** Resolves when a tenure is over. */
export const untilOver = ({ signal }: LeaseTerm): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
